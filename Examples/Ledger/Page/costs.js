// The table of costs. Only the rows in sight are in the page, and some around them; it is walked with the arrow keys.

import { CostPages } from './pages.js';
import { costRow, gap } from './row.js';
import { costs as counted } from './text.js';

const scroller = document.querySelector('.main');
const rows = document.getElementById('cost-rows');
const table = document.getElementById('costs');
const none = document.getElementById('no-costs');
const count = document.getElementById('cost-count');
/** So many rows above and below those in sight are in the page as well. */
const spare = 10;

export class CostTable {
  #pages = new CostPages();
  /** Accounts and categories by their identifiers. */
  #names = new Map();
  /** What is drawn, by the identifiers of costs: `cost`, its `index`, its `row`, and the `key` that says what the row shows. */
  #drawn = new Map();
  #height = 38;
  #version = 0;
  #isLoading = false;
  /** The cost that had the focus last. */
  #current;
  /** The place of the row that gets the focus as soon as it is drawn. */
  #goal;

  /** `actions`: `edit(cost)`, `remove(cost)`. */
  constructor(actions) {
    const at = (event) => this.#drawn.get(event.target.closest('tr')?.dataset.id);
    rows.addEventListener('keydown', (event) => {
      const shown = at(event);
      if (!shown || event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.#walk(shown.index, event.key)) event.preventDefault();
      else if (event.key === 'Delete' || event.key === 'Backspace') {
        event.preventDefault();
        actions.remove(shown.cost);
      }
    });
    rows.addEventListener('click', (event) => {
      const shown = at(event);
      if (shown) (event.target.closest('.remove button') ? actions.remove : actions.edit)(shown.cost);
    });
    rows.addEventListener('focusin', (event) => { this.#current = at(event)?.cost.id; });
    let frame;
    const drawSoon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => this.#draw());
    };
    scroller.addEventListener('scroll', drawSoon);
    new ResizeObserver(drawSoon).observe(scroller);
  }

  /** Shows the list as it is now. `isOther` says that the filter is another one; otherwise what is in sight stays where it is. */
  async show(overview, filter, isOther) {
    const version = this.#version += 1;
    const pages = new CostPages(overview.costs, overview.costCount, filter);
    let shift = 0;
    try {
      if (!isOther) shift = await this.#follow(pages);
    } catch {
      return; // The rows stay as they are: the page says that the server is away.
    }
    if (version !== this.#version) return;
    const focused = this.#focused;
    this.#pages = pages;
    this.#names = new Map([...overview.accounts, ...overview.categories].map((row) => [row.id, row]));
    if (isOther) this.#goal = undefined;
    table.hidden = !pages.total;
    table.ariaRowCount = pages.total + 1;
    none.hidden = pages.total > 0;
    none.textContent = Object.values(filter).some(Boolean) ? 'No cost passes the filter.' : 'No cost yet. Press N to write the first one.';
    count.textContent = counted(pages.total);
    this.#draw(shift);
    // Another list begins with its newest.
    if (isOther && this.#top < 0) table.parentElement.scrollIntoView({ block: 'start' });
    if (shift) scroller.scrollTop += shift * this.#height;
    // The focus stays on its cost, or goes to the one that took its place.
    if (focused && pages.total && !this.#drawn.has(focused.cost.id)) this.#goTo(focused.index + shift);
  }

  /** Gives the focus to the cost that had it last, or to the first one in sight. */
  focus() { this.#goTo(this.#pages.placeOf(this.#current) ?? Math.ceil(-this.#top / this.#height)); }

  get #focused() {
    return rows.contains(document.activeElement) ? this.#drawn.get(document.activeElement.closest('tr').dataset.id) : undefined;
  }

  /** How far the first row is below the upper edge of what is in sight. */
  get #top() { return rows.getBoundingClientRect().top - scroller.getBoundingClientRect().top; }

  /** The places from `first` to `end`, which is not included, that are in sight or near to it, once the rows have moved by `shift`. */
  #range(shift = 0) {
    const top = this.#top - shift * this.#height;
    const end = Math.min(this.#pages.total, Math.ceil((scroller.clientHeight - top) / this.#height) + spare);
    return { first: Math.max(0, Math.min(end, Math.floor(-top / this.#height) - spare)), end };
  }

  /** Loads into a new state of the list what is in sight of the last one. Returns by how many rows it has moved. */
  async #follow(pages) {
    const { first, end } = this.#range();
    const before = this.#pages.at(first - 1);
    if (!before) return 0;
    const place = pages.placeOf(before.id);
    const begin = place === undefined ? await pages.loadAfter(before) : place + 1;
    await pages.load(begin, begin + end - first);
    return begin - first;
  }

  #walk(at, key) {
    const from = this.#goal ?? at;
    const next = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: this.#pages.total - 1, PageDown: from + 10, PageUp: from - 10 }[key];
    if (next === undefined) return false;
    this.#goTo(next);
    return true;
  }

  #goTo(index) {
    this.#goal = Math.max(0, Math.min(this.#pages.total - 1, index));
    const top = this.#top + this.#goal * this.#height;
    if (top < 0) scroller.scrollTop += top;
    else if (top + this.#height > scroller.clientHeight) scroller.scrollTop += top + this.#height - scroller.clientHeight;
    this.#draw();
  }

  // MARK: Drawing

  #draw(shift) {
    const { first, end } = this.#range(shift);
    const focused = this.#focused;
    const places = [];
    for (let index = first; index < end; index += 1) if (this.#pages.at(index)) places.push(index);
    // The row with the focus stays, wherever it is.
    const kept = focused && this.#pages.placeOf(focused.cost.id);
    if (kept < first) places.unshift(kept);
    if (kept >= end) places.push(kept);

    const last = this.#drawn;
    this.#drawn = new Map();
    const nodes = [];
    let next = 0;
    for (const index of places) {
      if (index > next) nodes.push(gap((index - next) * this.#height));
      nodes.push(this.#row(index, last));
      next = index + 1;
    }
    if (next < this.#pages.total) nodes.push(gap((this.#pages.total - next) * this.#height));
    place(nodes);
    // A row that is drawn anew, or moved, has lost the focus.
    if (focused && !rows.contains(document.activeElement)) this.#focus(focused.cost.id);
    if (this.#goal !== undefined && this.#focus(this.#pages.at(this.#goal)?.id)) this.#goal = undefined;
    this.#measure();
    this.#fill(first, end);
  }

  /** The row of a cost: the one that is there, unless it shows something else. */
  #row(index, last) {
    const cost = this.#pages.at(index);
    const [account, category] = [this.#names.get(cost.account), this.#names.get(cost.category)];
    const key = JSON.stringify([cost.date, cost.amount, cost.note, account?.name, account?.currency, category?.name]);
    const known = last.get(cost.id);
    const row = known?.key === key ? known.row : costRow(cost, account, category);
    // The first row is that of the headings.
    if (row.ariaRowIndex !== String(index + 2)) row.ariaRowIndex = index + 2;
    this.#drawn.set(cost.id, { cost, index, row, key });
    return row;
  }

  #focus(id) {
    const edit = this.#drawn.get(id)?.row.querySelector('.edit');
    edit?.focus({ preventScroll: true });
    return Boolean(edit);
  }

  /** All rows have the height of the first one; it is another one on a phone. */
  #measure() {
    const [shown] = this.#drawn.values();
    const height = shown?.row.getBoundingClientRect().height;
    if (!height || height === this.#height) return;
    this.#height = height;
    this.#draw();
  }

  /** Asks for what is missing between two places, and for nothing else meanwhile. */
  async #fill(first, end) {
    const pages = this.#pages;
    table.ariaBusy = String(!pages.has(first, end));
    if (this.#isLoading || pages.has(first, end)) return;
    this.#isLoading = true;
    // A list that has changed meanwhile comes by itself, and without an answer the next look asks again.
    const isLoaded = await pages.load(first, end).catch(() => false);
    this.#isLoading = false;
    if (isLoaded || pages !== this.#pages) this.#draw();
  }
}

/** Makes the nodes those of the table's body. Those that are there already stay, so that the focus does too. */
function place(nodes) {
  const kept = new Set(nodes);
  for (const node of [...rows.children]) if (!kept.has(node)) node.remove();
  nodes.forEach((node, index) => { if (rows.children[index] !== node) rows.insertBefore(node, rows.children[index] ?? null); });
}
