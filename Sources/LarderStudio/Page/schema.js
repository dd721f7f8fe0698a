// The schema as a text to read and to print: what each table has, the migrations that ran, and what is still to change.

import * as api from './api.js';
import { button, element, link } from './elements.js';
import { address } from './place.js';
import { kinds } from './tables.js';

export class Schema {
  constructor(section, { store, tables }) {
    Object.assign(this, { section, store, tables });
  }

  show() {
    if (this.section.childElementCount > 0) return;
    const { migrations } = this.store;
    const bar = element('p', 'diagram-bar', element('span', 'soft', `${this.tables.length} tables`), element('span', 'spacer'), button('Print', '', () => print()));
    const parts = kinds.flatMap(([kind]) => this.tables.filter((table) => table.kind === kind)).map((table) => this.part(table));
    const ran = element('section', 'schema-table', element('h2', '', 'Migrations'));
    if (migrations.length) ran.append(element('ol', 'schema-list', ...migrations.map((name) => element('li', '', name))));
    else ran.append(element('p', 'soft', 'None ran in this file.'));
    const pending = element('section', 'schema-table', element('h2', '', 'Pending'));
    this.showPending(pending);
    const text = element('div', 'schema-text', element('div', 'schema-columns', ...parts, ran, pending));
    text.tabIndex = 0;
    this.section.append(bar, text);
  }

  /** Shows what the program's models and migrations would still change, as far as somebody knows. */
  async showPending(section) {
    try {
      const { source, steps, notes } = await api.pending();
      if (steps.length) section.append(element('ol', 'schema-list', ...steps.map((step) => element('li', '', step))));
      else section.append(element('p', 'soft', nothingPending[source]));
      section.append(...notes.map((note) => element('p', '', note)));
    } catch (refusal) {
      section.append(element('p', 'error-text', refusal.message));
    }
  }

  part(table) {
    const facts = [table.kind === 'model' && table.title !== table.name && `table ${table.name}`, table.expires && 'rows expire', table.isSearchable && 'full-text search', !table.syncs && table.kind === 'model' && 'not in sync'];
    const heading = element('h2', '', link(table.title, address({ table: table.name })), element('span', 'soft', ` ${[kindText(table.kind), ...facts.filter(Boolean)].join(' · ')}`));
    const lines = table.properties.map((property) => element('tr', '', element('th', '', property.name), element('td', 'code', property.swiftType), element('td', '', this.facts(property))));
    for (const line of lines) line.firstChild.scope = 'row';
    const made = element('section', 'schema-table', heading);
    if (lines.length) made.append(element('table', '', element('tbody', '', ...lines)));
    const relationships = table.relationships.map((own) => element('li', '', element('b', '', own.name), ` ${relations[own.kind] ?? own.kind} `, this.table(own.target), `, delete rule ${own.deleteRule}${own.isOrdered ? ', ordered' : ''}`));
    const indexes = table.indexes.map(({ name, columns, isUnique }) => element('li', '', element('b', '', name), ` ${isUnique ? 'unique ' : ''}index of ${columns.join(', ')}`));
    const retired = table.retired.length ? [element('li', '', element('b', '', 'retired'), ` ${table.retired.join(', ')}: columns without a property, whose values are kept`)] : [];
    if (relationships.length + indexes.length + retired.length) made.append(element('ul', 'schema-list', ...relationships, ...indexes, ...retired));
    return made;
  }

  facts({ name, column, isKey, isUnique, isSearchable, isDerived, target, cases }) {
    const facts = [column !== name && `column ${column}`, isKey && 'key', isUnique && 'unique', isSearchable && 'searchable', isDerived && 'derived', cases && `one of ${cases.join(', ')}`].filter(Boolean);
    const text = element('span', '', facts.join(', '));
    if (target) text.append(facts.length ? ', ' : '', 'refers to ', this.table(target));
    return text;
  }

  table(name) {
    const table = this.tables.find((own) => own.name === name);
    return table ? link(table.title, address({ table: name })) : name;
  }
}

const nothingPending = {
  program: 'Nothing: the file matches the program’s models.',
  store: 'Nothing: a program’s migrations run when it opens its store.',
  file: 'The file doesn’t say what a newer version of its program would change. “larder plan” compares it with a file that such a version made.',
};
const relations = { toOne: 'to one', toMany: 'to many', manyToMany: 'many to many' };
const kindText = (kind) => ({ model: 'model', documents: 'documents', pairs: 'pairs of a relationship', table: 'table', view: 'view' })[kind];
