// A grid over any number of rows, of which only those in view are on the page.

import { columnWidth, hiddenColumns } from './columns.js';
import { element, link } from './elements.js';
import { isNumeric, shown } from './format.js';
import { keyText } from './api.js';
import { move } from './gridkeys.js';
import { address } from './place.js';

const rowHeight = 28;
/** A browser can't make an element much higher. Beyond it, the scroll bar's way stands for more rows than it has room for. */
const greatestHeight = 12_000_000;
/** The number of rows beyond the edges that are made. */
const margin = 6;

export class Grid {
  /** `open` is called with the key of a row that the user chooses, `sort` with the name of a property. */
  constructor(frame, { store, tables, open, sort }) {
    Object.assign(this, { frame, store, tables, open, sort });
    this.active = { row: 0, column: 0 };
    this.lines = new Map();
    this.header = element('div', 'grid-header');
    this.header.setAttribute('role', 'row');
    this.header.setAttribute('aria-rowindex', '1');
    const head = element('div', 'grid-head', this.header);
    head.setAttribute('role', 'rowgroup');
    this.body = element('div', 'grid-body');
    this.body.setAttribute('role', 'rowgroup');
    this.scroller = element('div', 'grid', head, this.body);
    this.scroller.setAttribute('role', 'grid');
    this.scroller.addEventListener('scroll', () => this.draw(), { passive: true });
    this.scroller.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.scroller.addEventListener('keydown', (event) => move(this, event));
    this.scroller.addEventListener('click', (event) => this.click(event));
    this.empty = element('p', 'grid-empty', '');
    this.empty.setAttribute('role', 'status');
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    frame.append(this.scroller, this.empty);
  }

  /** Shows the rows of pages. `order` is the name of the property they are sorted by, with "-" before it if the greatest come first. */
  show(table, pages, order) {
    const isSameTable = this.table?.name === table.name;
    Object.assign(this, { table, pages, order });
    if (!isSameTable) this.scroller.scrollLeft = 0;
    this.scroller.scrollTop = 0;
    this.active = { row: 0, column: Math.min(isSameTable ? this.active.column : 0, table.properties.length - 1) };
    this.scroller.setAttribute('aria-label', table.title);
    this.hasWidths = false;
    this.clear();
    this.layOut();
  }

  /** Draws the columns again, after some were hidden or shown. */
  layOut() {
    const hidden = hiddenColumns(this.store.name, this.table.name);
    this.columns = this.table.properties.map((property, position) => ({ property, position })).filter(({ property }) => !hidden.has(property.name));
    this.active.column = Math.max(0, Math.min(this.active.column, this.columns.length - 1));
    this.scroller.setAttribute('aria-colcount', this.columns.length);
    this.clear();
    this.measure();
    this.header.replaceChildren(...this.columns.map((column, index) => this.heading(column, index)));
    this.draw();
  }

  clear() {
    for (const { element: made } of this.lines.values()) made.remove();
    this.lines.clear();
  }

  measure() {
    const rows = [];
    for (let index = 0; index < 60 && this.pages.row(index); index += 1) rows.push(this.pages.row(index));
    const widths = this.columns.map(({ property, position }) => columnWidth(property, position, rows));
    this.width = widths.reduce((sum, width) => sum + width, 0);
    this.scroller.style.setProperty('--columns', widths.map((width) => `${width}px`).join(' '));
    this.scroller.style.setProperty('--width', `${this.width}px`);
    this.hasWidths = rows.length > 0;
  }

  heading({ property }, index) {
    const direction = this.order === property.name ? 'ascending' : this.order === `-${property.name}` ? 'descending' : 'none';
    const name = element('span', 'name', property.name);
    const made = element('div', `grid-heading${isNumeric(property) ? ' numeric' : ''}`, name);
    if (direction !== 'none') made.append(element('span', 'arrow', direction === 'ascending' ? '▲' : '▼'));
    made.setAttribute('role', 'columnheader');
    made.setAttribute('aria-sort', direction);
    made.setAttribute('aria-colindex', index + 1);
    made.title = `${property.name}: ${property.swiftType}${property.isKey ? ', key' : ''}${property.isDerived ? ', derived' : ''}`;
    made.dataset.column = index;
    made.tabIndex = -1;
    return made;
  }

  // Drawing

  get height() { return Math.max(0, this.scroller.clientHeight - this.header.offsetHeight); }
  get isScaled() { return this.pages.count * rowHeight > greatestHeight; }

  /** The position of the first row in view, with its fraction. */
  get top() {
    if (!this.isScaled) return this.scroller.scrollTop / rowHeight;
    const way = greatestHeight - this.height;
    return (this.scroller.scrollTop / way) * (this.pages.count - this.height / rowHeight);
  }

  /** Scrolls so that the row is the first one in view. */
  scrollTo(top) {
    const rows = Math.max(0, top);
    if (!this.isScaled) this.scroller.scrollTop = rows * rowHeight;
    else this.scroller.scrollTop = (rows / (this.pages.count - this.height / rowHeight)) * (greatestHeight - this.height);
  }

  draw() {
    if (!this.pages) return;
    if (!this.hasWidths && this.pages.row(0)) {
      this.measure();
    }
    const { count } = this.pages;
    this.scroller.setAttribute('aria-rowcount', this.pages.isCounted ? count + 1 : -1);
    this.body.style.height = `${Math.min(count * rowHeight, greatestHeight)}px`;
    const top = this.top;
    const first = Math.max(0, Math.floor(top) - margin);
    const last = Math.min(count, Math.ceil(top + this.height / rowHeight) + margin);
    for (const [index, { element: made }] of this.lines) {
      if (index >= first && index < last) continue;
      made.remove();
      this.lines.delete(index);
    }
    for (let index = first; index < last; index += 1) {
      const line = this.line(index);
      line.style.transform = `translateY(${Math.round(this.scroller.scrollTop + (index - top) * rowHeight)}px)`;
    }
    this.empty.textContent = count === 0 && this.pages.isCounted ? 'No rows.' : '';
    this.markActive();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.pages.need(first, Math.max(last, 1)), 30);
  }

  /** The element of a row, made again if the row has changed. */
  line(index) {
    const row = this.pages.row(index);
    const known = this.lines.get(index);
    if (known && known.row === row) return known.element;
    const isSameRow = known?.row && row && keyText(known.row.key) === keyText(row.key);
    if (isSameRow && JSON.stringify(known.row.cells) === JSON.stringify(row.cells)) {
      known.row = row;
      return known.element;
    }
    const made = this.makeLine(index, row, isSameRow ? known.row : undefined);
    const hadFocus = known?.element.contains(document.activeElement);
    if (known) known.element.replaceWith(made);
    else this.body.append(made);
    this.lines.set(index, { element: made, row });
    if (hadFocus) made.children[this.active.column]?.focus({ preventScroll: true });
    return made;
  }

  makeLine(index, row, before) {
    const key = keyText(row?.key);
    const made = element('div', `grid-row${row ? '' : ' waiting'}`);
    made.setAttribute('role', 'row');
    made.setAttribute('aria-rowindex', index + 2);
    if (key) made.setAttribute('aria-selected', key === this.selected);
    made.dataset.row = index;
    this.columns.forEach(({ property, position }, column) => {
      const cell = element('div', `grid-cell${isNumeric(property) ? ' numeric' : ''}`);
      cell.setAttribute('role', 'gridcell');
      cell.setAttribute('aria-colindex', column + 1);
      cell.dataset.column = column;
      cell.tabIndex = -1;
      if (row) cell.append(this.content(row.cells[position], property));
      if (before && JSON.stringify(before.cells[position]) !== JSON.stringify(row.cells[position])) cell.classList.add('changed');
      made.append(cell);
    });
    return made;
  }

  content(cell, property) {
    const content = shown(cell, property);
    if (!property.target || typeof cell !== 'string') return content;
    const target = this.tables.find((table) => table.name === property.target);
    const key = target && referenceKey(cell, property, target);
    if (!key) return content;
    const made = link(content, address({ table: target.name, row: key }), 'reference');
    made.tabIndex = -1;
    return made;
  }

  // What is chosen

  /** Marks the row that the panel shows. */
  select(key) {
    this.selected = key;
    for (const { element: made, row } of this.lines.values()) {
      if (row?.key) made.setAttribute('aria-selected', keyText(row.key) === key);
    }
  }

  markActive({ isFocused = false } = {}) {
    for (const cell of this.scroller.querySelectorAll('[tabindex="0"]')) cell.tabIndex = -1;
    const line = this.active.row < 0 ? this.header : this.lines.get(this.active.row)?.element ?? this.header;
    const cell = line.children[this.active.column];
    if (!cell) return;
    cell.tabIndex = 0;
    if (isFocused) cell.focus({ preventScroll: true });
  }

  /** Brings the active cell into view. */
  reveal() {
    const { row, column } = this.active;
    if (row >= 0) {
      const visible = Math.floor(this.height / rowHeight);
      if (row < Math.ceil(this.top)) this.scrollTo(row);
      else if (row >= Math.floor(this.top) + visible) this.scrollTo(row - visible + 1);
    }
    this.draw();
    const cell = this.header.children[column];
    if (!cell) return;
    if (cell.offsetLeft < this.scroller.scrollLeft) this.scroller.scrollLeft = cell.offsetLeft;
    const right = cell.offsetLeft + cell.offsetWidth;
    if (right > this.scroller.scrollLeft + this.scroller.clientWidth) this.scroller.scrollLeft = right - this.scroller.clientWidth;
  }

  click(event) {
    if (event.target.closest('a')) return;
    const cell = event.target.closest('[data-column]');
    if (!cell) return;
    const line = cell.closest('[data-row]');
    this.active = { row: line ? Number(line.dataset.row) : -1, column: Number(cell.dataset.column) };
    this.markActive({ isFocused: true });
    this.act();
  }

  /** Opens the active row, or sorts by the active heading. */
  act() {
    const { row, column } = this.active;
    if (row < 0) this.sort(this.columns[column].property.name);
    else if (this.pages.row(row)?.key) this.open(keyText(this.pages.row(row).key));
  }

  wheel(event) {
    if (!this.isScaled || event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? event.deltaY * rowHeight : event.deltaMode === 2 ? event.deltaY * this.height : event.deltaY;
    this.scrollTo(this.top + pixels / rowHeight);
  }
}

/** The key of the row that a reference leads to, or undefined if the text doesn't say it. */
export function referenceKey(text, property, target) {
  const keys = target.properties.filter((own) => own.isKey);
  if (keys.length !== 1) return undefined;
  const [own] = keys;
  if (own.type === 'integer') return /^-?\d+$/.test(text) ? JSON.stringify([`i${text}`]) : undefined;
  if (own.type === 'text') return JSON.stringify([`t${text}`]);
  if (own.type === 'uuid') return JSON.stringify([`t${text}`]);
  return undefined;
}
