// The page: it listens to the ledger, keeps the filter in the address, and knows the shortcuts.

import { element } from '/elements.js';
import { say } from '/toast.js';
import { listen } from '/updates.js';
import * as api from './api.js';
import { drawCharts, totalsOf } from './charts.js';
import { CostTable } from './costs.js';
import { names, readFilter } from './filter.js';
import { AccountDialog, askToDelete, CategoryDialog, CostDialog } from './forms.js';
import { ImportDialog } from './import.js';
import { Sidebar } from './sidebar.js';
import { SyncDialog } from './sync.js';

const byId = (id) => document.getElementById(id);
const shortcuts = byId('shortcuts');
const filterForm = byId('filter');
const search = byId('filter-text');
/** How long a dialog waits for what it has added, in milliseconds: the connection may be broken. */
const patience = 2000;
/** How long somebody who types a word rests before it is looked for, in milliseconds. */
const pause = 150;

let overview;
let currency;

// MARK: Changes, and taking them back

async function take(direction) {
  try {
    const { title } = await api[direction]();
    const back = direction === 'undo' ? 'redo' : 'undo';
    say(`${direction === 'undo' ? 'Undone' : 'Done again'}: ${title}.`, back === 'undo' ? 'Undo' : 'Redo', () => take(back));
  } catch (refusal) {
    say(refusal.message);
  }
}

const offerUndo = (message) => say(message, 'Undo', () => take('undo'));

const findIn = (list) => (id) => overview?.[list].find((row) => row.id === id);

let awaited = [];

/** Waits until the page knows a new account or category, because the next key may be about it; costs that a filter hides it never knows. */
const shown = (kind, id) => new Promise((resolve) => {
  if (kind === 'costs' || findIn(kind)(id)) return resolve();
  awaited.push({ kind, id, resolve });
  setTimeout(resolve, patience);
});

function showAwaited() {
  const isKnown = ({ kind, id }) => findIn(kind)(id) !== undefined;
  for (const row of awaited.filter(isKnown)) row.resolve();
  awaited = awaited.filter((row) => !isKnown(row));
}

const accountDialog = new AccountDialog({ saved: offerUndo, shown, current: findIn('accounts'), remove: (row) => remove('accounts', row) });
const categoryDialog = new CategoryDialog({ saved: offerUndo, shown, current: findIn('categories'), remove: (row) => remove('categories', row) });
const costDialog = new CostDialog({ saved: offerUndo, shown, current: api.cost, remove: (row) => removeCost(row) });
const syncDialog = new SyncDialog();
const importDialog = new ImportDialog({
  imported: (message, isCancelled) => (isCancelled ? say(message) : offerUndo(message)),
  account: findIn('accounts'),
});

async function remove(kind, row) {
  try {
    await askToDelete(kind, row, () => offerUndo(`“${row.name}” was deleted.`));
  } catch (refusal) {
    say(`Not deleted: ${refusal.message}`);
  }
}

async function removeCost(cost) {
  try {
    await api.remove('costs', cost.id);
    offerUndo(cost.note.trim() ? `“${cost.note.trim()}” was deleted.` : 'The cost was deleted.');
  } catch (refusal) {
    say(`Not deleted: ${refusal.message}`);
  }
}

function newCost() {
  if (!overview) return;
  if (!overview.accounts.length) {
    accountDialog.add();
    return say('A cost belongs to an account: open the first one.');
  }
  costDialog.add({ account: filter.account ?? overview.accounts[0].id, category: filter.category === 'none' ? '' : filter.category });
}

const sidebar = new Sidebar({
  filter(name, id) {
    setFilter({ [name]: id });
    if (isNarrow()) showPane('costs');
  },
  editAccount: (account) => accountDialog.edit(account),
  editCategory: (category) => categoryDialog.edit(category),
});
const table = new CostTable({
  edit: (cost) => costDialog.edit(cost),
  remove: removeCost,
});

// MARK: The filter: the address says it, so that a reload and the back button do what one expects

let filter = readFilter();

/** `step` is `replaceState` for what belongs to the last change, as the letters of a word do. */
function setFilter(change, step = 'pushState') {
  filter = { ...filter, ...change };
  const address = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  history[step](null, '', address.size ? `?${address}` : location.pathname);
  follow();
}

/** The name of a choice that another window has deleted, or that an address made up. */
function goneFromFilter() {
  const has = (list, id) => !id || id === 'none' || list.some((row) => row.id === id);
  return has(overview.accounts, filter.account) ? has(overview.categories, filter.category) ? undefined : 'category' : 'account';
}

const isFiltered = () => names.some((name) => filter[name]);

function showFilter() {
  const fill = (select, all, options) => {
    const chosen = filter[select.name] ?? '';
    const shown = [new Option(all, ''), ...options];
    const isSame = shown.length === select.options.length && shown.every((option, index) => option.isEqualNode(select.options[index]));
    // A list that is open stays open.
    if (!isSame) select.replaceChildren(...shown);
    select.value = chosen;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
    select.classList.toggle('active', Boolean(filter[select.name]));
  };
  fill(byId('filter-account'), 'Every account', overview.accounts.map((account) => new Option(account.name, account.id)));
  fill(byId('filter-category'), 'Every category', [...overview.categories.map((category) => new Option(category.name, category.id)), new Option('No category', 'none')]);
  for (const name of ['from', 'through', 'text']) {
    const input = byId(`filter-${name}`);
    if (document.activeElement !== input) input.value = filter[name] ?? '';
    input.classList.toggle('active', Boolean(filter[name]));
  }
  // Without a filter the button keeps its place, so that no other one moves.
  if (!isFiltered() && document.activeElement === byId('clear-filter')) byId('filter-account').focus();
  byId('clear-filter').disabled = !isFiltered();
  byId('toggle-filter').classList.toggle('active', isFiltered());
  byId('export').href = api.exportAddress(filter);
}

filterForm.addEventListener('submit', (event) => event.preventDefault());
filterForm.addEventListener('change', ({ target }) => {
  // A year that is being typed begins with zeros.
  if (target !== search && target.checkValidity()) setFilter({ [target.name]: target.value || undefined });
});
let typing;
search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => setFilter({ text: search.value.trim() || undefined }, filter.text ? 'replaceState' : 'pushState'), pause);
});
const clearFilter = () => setFilter(Object.fromEntries(names.map((name) => [name, undefined])));
byId('clear-filter').addEventListener('click', clearFilter);
addEventListener('popstate', () => { filter = readFilter(); follow(); });

// MARK: The ledger, live

function follow() {
  const asked = filter;
  listen(api.eventsAddress(asked), 'ledger', (ledger) => {
    overview = ledger;
    const gone = goneFromFilter();
    if (gone) setFilter({ [gone]: undefined });
    else show(asked);
    showAwaited();
  });
}

let shownFilter;

function show(asked) {
  const isEmpty = !overview.accounts.length;
  byId('empty').hidden = !isEmpty;
  byId('book').hidden = isEmpty;
  showFilter();
  sidebar.show(overview, filter);
  table.show(overview, asked, asked !== shownFilter);
  shownFilter = asked;
  costDialog.offer(overview.accounts, overview.categories);
  showCharts();
  for (const [name, word] of [['undo', 'Undo'], ['redo', 'Redo']]) {
    const title = overview.history[name];
    byId(name).disabled = !title;
    byId(name).title = title ? `${word}: ${title}` : `Nothing to ${name}`;
  }
}

/** The currency that most costs are in, unless another one was chosen. */
function shownCurrency() {
  const count = (one) => one.categories.reduce((sum, category) => sum + category.count, 0);
  return overview.currencies.find((one) => one.currency === currency)
    ?? overview.currencies.reduce((most, one) => (most && count(most) >= count(one) ? most : one), undefined);
}

function showCharts() {
  const shown = shownCurrency();
  byId('totals').replaceChildren(...(shown ? totalsOf(shown) : []));
  const choices = byId('currencies');
  choices.hidden = overview.currencies.length < 2;
  const focused = choices.contains(document.activeElement);
  choices.replaceChildren(choices.firstElementChild, ...overview.currencies.map((one) => {
    const input = element('input');
    Object.assign(input, { type: 'radio', name: 'currency', value: one.currency, checked: one === shown });
    return element('label', '', input, element('span', '', one.currency));
  }));
  if (focused) choices.querySelector(':checked')?.focus();
  if (shown) drawCharts(shown, new Map(overview.categories.map((category) => [category.id, category.name])));
}

byId('currencies').addEventListener('change', (event) => {
  currency = event.target.value;
  showCharts();
});

let resizing;
new ResizeObserver(() => {
  cancelAnimationFrame(resizing);
  resizing = requestAnimationFrame(() => { if (overview?.accounts.length) showCharts(); });
}).observe(byId('category-chart'));

// MARK: Buttons, panes and shortcuts

const isNarrow = () => matchMedia('(max-width: 760px)').matches;

function showPane(pane) {
  document.body.dataset.pane = pane;
  for (const tab of document.querySelectorAll('.tabs button')) tab.ariaPressed = String(tab.dataset.pane === pane);
}

for (const tab of document.querySelectorAll('.tabs button')) tab.addEventListener('click', () => showPane(tab.dataset.pane));
byId('new-cost').addEventListener('click', newCost);
byId('new-account').addEventListener('click', () => accountDialog.add());
byId('first-account').addEventListener('click', () => accountDialog.add());
byId('new-category').addEventListener('click', () => categoryDialog.add());
byId('undo').addEventListener('click', () => take('undo'));
byId('redo').addEventListener('click', () => take('redo'));
byId('show-import').addEventListener('click', () => importDialog.open());
byId('show-sync').addEventListener('click', () => syncDialog.open());
byId('show-shortcuts').addEventListener('click', () => shortcuts.showModal());
const showFilterForm = (isOpen) => {
  filterForm.classList.toggle('open', isOpen);
  byId('toggle-filter').ariaExpanded = String(isOpen);
};
byId('toggle-filter').addEventListener('click', () => showFilterForm(!filterForm.classList.contains('open')));

function openFilter(field) {
  showFilterForm(true);
  field.focus();
}

/** The focus stays in a dialog that has closed, until the page is drawn again. */
const isNowhere = (target) => target === document.body || target.closest('dialog:not([open])') !== null;
const writesText = (target) => !isNowhere(target) && target.matches('textarea, select, input:not([type=radio], [type=file])');

document.addEventListener('keydown', (event) => {
  if (event.isComposing || document.querySelector('dialog[open]')) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && !event.altKey) {
    if (writesText(event.target)) return;
    if (key === 'z') { event.preventDefault(); take(event.shiftKey ? 'redo' : 'undo'); }
    else if (key === 'y' && !event.shiftKey) { event.preventDefault(); take('redo'); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === 'escape') {
    if (filterForm.contains(event.target)) event.target.blur();
    if (isFiltered()) { event.preventDefault(); clearFilter(); }
    return;
  }
  if (writesText(event.target)) return;
  const action = {
    n: newCost,
    a: () => accountDialog.add(),
    c: () => categoryDialog.add(),
    i: () => importDialog.open(),
    f: () => openFilter(byId('filter-account')),
    '/': () => openFilter(search),
    '?': () => shortcuts.showModal(),
  }[key];
  if (action) { event.preventDefault(); action(); }
  else if (key === 'arrowdown' && isNowhere(event.target)) { event.preventDefault(); table.focus(); }
});

follow();
