// Which rows are shown: a condition, words to search for, columns, and where the rows come from.

import { both, conditionMenu } from './builder.js';
import { columnMenu } from './columns.js';
import { button, element, link, newID } from './elements.js';
import { number } from './format.js';
import { quoted } from './names.js';
import { address, change, place } from './place.js';

/** The bar over the grid. `insert` is called for a new row, `columnsChanged` when columns were hidden or shown. */
export class Filter {
  constructor(bar, { store, tables, insert, columnsChanged }) {
    Object.assign(this, { bar, store, tables, insert, columnsChanged });
  }

  show(table, current) {
    if (this.table === table && this.current === JSON.stringify(this.relevant(current))) return;
    const isSame = this.table === table;
    this.table = table;
    this.current = JSON.stringify(this.relevant(current));
    this.count = element('span', 'soft count', '');
    this.count.setAttribute('role', 'status');
    const back = link('‹ Tables', '#', 'phone-only back');
    const title = element('h2', '', table.title);
    const heading = element('div', 'filter-title', back, title, this.count, element('span', 'spacer'));
    this.menu = isSame ? this.menu : columnMenu(this.store.name, table, this.columnsChanged);
    heading.append(this.menu);
    this.builder = isSame ? this.builder : conditionMenu(table, (text) => change({ where: both(place().where ?? '', text) }));
    if (this.store.isWritable && ['model', 'table', 'documents', 'pairs'].includes(table.kind)) heading.append(button('New row', 'primary', this.insert));
    this.error = element('p', 'condition-error');
    this.error.id = newID('error');
    this.error.setAttribute('role', 'alert');
    this.error.hidden = true;
    const condition = element('div', 'filter-condition', this.condition(current), this.error);
    const fields = element('div', 'filter-fields', condition, this.builder, ...(table.isSearchable ? [this.search(current)] : []));
    this.bar.replaceChildren(heading, ...this.origin(current), fields);
  }

  relevant({ where, search, of, relationship, key }) {
    return { where, search, of, relationship, key };
  }

  /** The row whose related rows are shown. */
  origin(current) {
    if (!current.relationship) return [];
    const owner = this.tables.find((table) => table.name === current.of);
    const row = link(current.label || owner?.title || current.of, address({ table: current.of, row: current.key }));
    const all = link('×', address({ table: current.table }), 'chip-end');
    all.setAttribute('aria-label', `Show all rows of ${this.table.title}`);
    return [element('p', 'chip', element('span', '', `${current.relationship} of ${owner?.title ?? ''} `), row, all)];
  }

  condition(current) {
    const input = element('input', 'code');
    input.value = current.where ?? '';
    input.placeholder = this.example();
    input.spellcheck = false;
    input.autocomplete = 'off';
    input.setAttribute('aria-label', 'Condition');
    input.addEventListener('change', () => change({ where: input.value, search: place().search }));
    this.input = input;
    return input;
  }

  search(current) {
    const input = element('input', '');
    input.type = 'search';
    input.value = current.search ?? '';
    input.placeholder = 'Search words';
    input.setAttribute('aria-label', 'Search words');
    input.addEventListener('change', () => change({ search: input.value }));
    return input;
  }

  /** A condition that fits the table. */
  example() {
    const property = this.table.properties.find(({ isKey, target, type }) => !isKey && !target && ['text', 'integer', 'decimal', 'date', 'bool', 'any'].includes(type));
    if (!property) return 'Condition';
    const name = quoted(property.name);
    const examples = { text: `${name} contains "milk"`, integer: `${name} > 10`, decimal: `${name} > 12.5`, date: `${name} > 2026-01-01`, bool: `${name} == true`, any: `${name} == "milk"` };
    return `Condition, such as ${examples[property.type]}`;
  }

  showCount(count, isCounted) {
    this.count.textContent = isCounted ? `${number(count)} ${count === 1 ? 'row' : 'rows'}` : '';
  }

  /** Says what is wrong, under the place that it is about. */
  showError(refusal) {
    this.error.replaceChildren();
    this.error.hidden = !refusal;
    this.input.toggleAttribute('aria-invalid', Boolean(refusal));
    if (!refusal) return this.input.removeAttribute('aria-describedby');
    this.input.setAttribute('aria-describedby', this.error.id);
    if (refusal.position !== undefined) {
      const mark = element('span', 'caret code', '▲');
      mark.style.setProperty('--position', refusal.position);
      this.error.append(mark);
    }
    this.error.append(element('span', 'error-text', refusal.message));
  }
}
