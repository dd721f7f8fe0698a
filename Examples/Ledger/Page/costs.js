// The table of costs: it shows what the server last said and is walked with the arrow keys.

import { element, icon } from '/elements.js';
import { costs as counted, longDay, money, sign } from './text.js';

const rows = document.getElementById('cost-rows');
const table = document.getElementById('costs');
const none = document.getElementById('no-costs');
const count = document.getElementById('cost-count');
const more = document.getElementById('more');
const bin = 'M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7M10.5 10.5v6M13.5 10.5v6';

export class CostTable {
  #costs = [];
  #current;
  #actions;

  /** `actions`: `edit(cost)`, `remove(cost)`, `more()`. */
  constructor(actions) {
    this.#actions = actions;
    more.addEventListener('click', actions.more);
    rows.addEventListener('keydown', (event) => {
      const row = event.target.closest('tr');
      if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.#walk(row, event.key)) event.preventDefault();
      else if (event.key === 'Delete' || event.key === 'Backspace') {
        event.preventDefault();
        actions.remove(this.#costs[row.sectionRowIndex]);
      }
    });
    rows.addEventListener('click', (event) => {
      const row = event.target.closest('tr');
      if (row && !event.target.closest('button')) actions.edit(this.#costs[row.sectionRowIndex]);
    });
    rows.addEventListener('focusin', (event) => { this.#current = event.target.closest('tr').dataset.id; });
  }

  show(overview, isFiltered) {
    const focused = rows.contains(document.activeElement) ? document.activeElement.closest('tr').sectionRowIndex : -1;
    const isStill = overview.costs.some((cost) => cost.id === this.#current);
    this.#costs = overview.costs;
    const names = new Map([...overview.accounts, ...overview.categories].map((row) => [row.id, row]));
    rows.replaceChildren(...overview.costs.map((cost) => this.#row(cost, names)));
    // The focus stays on its cost, or goes to the one that took its place.
    if (focused >= 0) {
      const row = isStill ? this.#find(this.#current) : rows.rows[Math.min(focused, rows.rows.length - 1)];
      row?.querySelector('.edit').focus();
    }
    table.hidden = !overview.costs.length;
    none.hidden = overview.costs.length > 0;
    none.textContent = isFiltered ? 'No cost passes the filter.' : 'No cost yet. Press N to write the first one.';
    count.textContent = overview.costs.length < overview.costCount
      ? `the newest ${overview.costs.length} of ${counted(overview.costCount)}` : counted(overview.costCount);
    more.hidden = overview.costs.length >= overview.costCount;
  }

  focus(id) { (this.#find(id) ?? rows.rows[0])?.querySelector('.edit').focus(); }

  #find(id) { return id && rows.querySelector(`[data-id="${CSS.escape(id)}"]`); }

  #walk(row, key) {
    const last = rows.rows.length - 1;
    const at = row.sectionRowIndex;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + 10, PageUp: at - 10 }[key];
    if (next === undefined) return false;
    rows.rows[Math.max(0, Math.min(last, next))].querySelector('.edit').focus();
    return true;
  }

  #row(cost, names) {
    const account = names.get(cost.account);
    const edit = element('button', 'edit', cost.note.trim() || 'No note');
    edit.type = 'button';
    edit.dir = 'auto';
    if (!cost.note.trim()) edit.classList.add('soft');
    edit.addEventListener('click', () => this.#actions.edit(cost));
    const remove = element('button', 'icon quiet', icon(bin));
    remove.type = 'button';
    remove.ariaLabel = `Delete ${cost.note.trim() || 'the cost'}`;
    remove.title = 'Delete (it can be undone)';
    remove.addEventListener('click', () => this.#actions.remove(cost));
    const category = cost.category && names.get(cost.category);
    const amount = element('td', `amount ${['out', 'zero', 'in'][sign(cost.amount) + 1]}`, account ? money(cost.amount, account.currency) : cost.amount);
    const cells = [
      element('td', 'day', longDay(cost.date)),
      element('td', 'note', edit),
      element('td', 'category', category ? element('span', 'chip', category.name) : element('span', 'soft', '–')),
      element('td', 'account', account?.name ?? ''),
      amount,
      element('td', 'remove', remove),
    ];
    cells[2].dir = cells[3].dir = 'auto';
    const row = element('tr', '', ...cells);
    row.dataset.id = cost.id;
    return row;
  }
}
