// SQL by hand: an editor, the rows, how SQLite finds them, and a file of them.

import * as api from './api.js';
import { completed } from './completion.js';
import { button, element, newID } from './elements.js';
import { number, shown } from './format.js';

export class SQL {
  constructor(section, { store, tables }) {
    Object.assign(this, { section, store, tables, kept: `sql:${store.name}` });
  }

  show() {
    if (!this.field) this.make();
    this.field.focus({ preventScroll: true });
  }

  make() {
    this.field = element('textarea', 'code');
    this.field.id = newID('sql');
    this.field.rows = 6;
    this.field.spellcheck = false;
    this.field.value = localStorage.getItem(this.kept) ?? this.example();
    this.field.addEventListener('input', () => localStorage.setItem(this.kept, this.field.value));
    this.field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run();
    });
    const label = element('label', 'unseen', 'SQL');
    label.htmlFor = this.field.id;
    const actions = element('p', 'sql-actions', button('Run', 'primary', () => this.run()), button('Plan', '', () => this.plan()), button('CSV', '', () => this.download()));
    if (this.store.isWritable) actions.append(this.permission());
    this.status = element('p', 'sql-status soft');
    this.status.setAttribute('role', 'status');
    this.result = element('div', 'sql-result');
    this.section.append(element('div', 'sql-editor', label, actions, completed(this.field, this.tables), this.status), this.result);
  }

  example() {
    const [table] = this.tables;
    return table ? `select * from "${table.name.replaceAll('"', '""')}" limit 100` : 'select 1';
  }

  permission() {
    this.writes = element('input', '');
    this.writes.type = 'checkbox';
    this.writes.id = newID('writes');
    const label = element('label', '', 'may write at once, without undo');
    label.htmlFor = this.writes.id;
    return element('span', 'sql-writes', this.writes, label);
  }

  /** Does something, and gives up what only reads and is still waited for. */
  async attempt(action, writes = false) {
    this.reading?.abort();
    const own = new AbortController();
    this.reading = writes ? undefined : own;
    this.status.classList.remove('error-text');
    this.status.textContent = 'Running …';
    const start = performance.now();
    try {
      const said = await action(own.signal);
      this.status.textContent = `${said} · ${Math.round(performance.now() - start)} ms`;
    } catch (refusal) {
      if (refusal.name === 'AbortError') return;
      this.result.replaceChildren();
      this.status.textContent = refusal.message;
      this.status.classList.add('error-text');
    }
  }

  run() {
    const writes = this.writes?.checked ?? false;
    return this.attempt(async (signal) => {
      const { columns, rows, hasMore } = await api.sql(this.field.value, writes, signal);
      this.result.replaceChildren(...(columns.length ? [resultTable(columns, rows)] : []));
      if (columns.length === 0) return 'No rows';
      return hasMore ? `The first ${number(rows.length)} rows` : `${number(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`;
    }, writes);
  }

  plan() {
    return this.attempt(async (signal) => {
      const steps = await api.plan(this.field.value, signal);
      this.result.replaceChildren(tree(steps, 0));
      return 'How SQLite executes it';
    });
  }

  download() {
    return this.attempt(async (signal) => {
      const { text, limit } = await api.csv(this.field.value, signal);
      const made = element('a', '');
      made.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
      made.download = 'result.csv';
      made.click();
      setTimeout(() => URL.revokeObjectURL(made.href), 10_000);
      return limit ? `Downloaded the first ${number(Number(limit))} rows; there are more` : 'Downloaded';
    });
  }
}

function resultTable(columns, rows) {
  const head = element('tr', '', ...columns.map((name) => {
    const cell = element('th', '', name);
    cell.scope = 'col';
    return cell;
  }));
  const lines = rows.map((row) => element('tr', '', ...row.map((cell) => element('td', '', shown(cell)))));
  const made = element('table', 'result', element('thead', '', head), element('tbody', '', ...lines));
  const frame = element('div', 'result-frame', made);
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', 'Result');
  return frame;
}

/** The steps of a plan within each other. */
function tree(steps, parent) {
  const own = steps.filter((step) => step.parent === parent);
  const list = element('ul', 'plan code');
  for (const step of own) {
    const item = element('li', '', step.detail);
    if (steps.some((other) => other.parent === step.id)) item.append(tree(steps, step.id));
    list.append(item);
  }
  return list;
}
