// All of a row: its properties with their editors, when it expires, and the rows it is related to.

import * as api from './api.js';
import { keyText } from './api.js';
import { work } from './changes.js';
import { confirmDeletion } from './deletion.js';
import { DocumentEditor } from './document.js';
import { editor } from './editors.js';
import { button, element, newID } from './elements.js';
import { expiryEditor } from './expiry.js';
import { historySection } from './history.js';
import { change } from './place.js';
import { relatedRows } from './related.js';

export class Panel {
  constructor(aside, { store, tables }) {
    Object.assign(this, { aside, store, tables });
    this.document = new DocumentEditor(this);
  }

  /** Shows the row with the key. */
  async show(table, key) {
    const isSame = this.table === table && this.key === key && !this.aside.hidden;
    Object.assign(this, { table, key, isNew: false });
    if (!isSame) this.focusLater = true;
    await this.refresh();
  }

  /** Shows the empty fields of a new row. */
  insert(table) {
    Object.assign(this, { table, key: undefined, isNew: true, detail: undefined, values: {} });
    this.aside.hidden = false;
    if (table.kind === 'documents') return this.document.insert(table);
    const fields = table.properties.filter((property) => !property.isDerived).map((property) => this.newField(property));
    this.expires = undefined;
    const expiry = table.expires ? [expiryEditor(null, (text) => { this.expires = text ?? undefined; })] : [];
    this.replace(`New ${table.title}`, [
      element('div', 'fields', ...fields, ...expiry),
      element('p', 'actions', button('Cancel', '', () => this.close()), button('Insert', 'primary', () => this.finishInsertion())),
    ]);
    this.aside.querySelector('.field input, .field textarea, .field select')?.focus();
  }

  close() {
    this.aside.hidden = true;
    this.isNew = false;
    change({ row: undefined });
    this.closed?.();
  }

  hide() {
    this.aside.hidden = true;
    Object.assign(this, { key: undefined, isNew: false });
  }

  /** Reads the row again, unless the user is writing in it. */
  async refresh({ isForced = false } = {}) {
    if (this.isNew || !this.key) return;
    const { table, key } = this;
    if (table.kind === 'documents') return this.document.show(table, key);
    const writing = this.aside.contains(document.activeElement) && document.activeElement.matches('input:not([type=checkbox]), textarea');
    let detail;
    try {
      detail = await api.row(table.name, key);
    } catch (refusal) {
      if (this.key === key) this.replace(table.title, [element('p', 'gone', refusal.message)]);
      return;
    }
    if (this.key !== key || this.table !== table || this.isNew) return;
    if (JSON.stringify(detail) === JSON.stringify(this.detail) && !isForced && !this.aside.hidden) return;
    if (writing && !isForced && this.detail?.key && keyText(this.detail.key) === keyText(detail.key)) return;
    this.detail = detail;
    this.draw();
  }

  draw() {
    const { table, detail } = this;
    const isWritable = this.store.isWritable && table.kind !== 'view';
    const fields = table.properties.map((property, position) => this.field(property, detail.cells[position], isWritable && !property.isKey && !property.isDerived));
    const expiry = table.expires ? [expiryEditor(detail.expires, isWritable ? (text) => this.perform(() => api.setExpiry(table.name, keyText(detail.key), text)) : null)] : [];
    const history = historySection(table, keyText(detail.key), detail.history, isWritable ? () => this.refresh({ isForced: true }) : null);
    const actions = isWritable ? [element('p', 'actions', button('Delete…', 'danger', () => this.delete()))] : [];
    this.replace(detail.label, [element('div', 'fields', ...fields, ...expiry), ...relatedRows(table, detail, this.tables), ...history, ...actions]);
  }

  /** Puts the parts in, and the focus where it was. */
  replace(title, parts) {
    const focused = this.aside.contains(document.activeElement) ? document.activeElement.closest('[data-property]')?.dataset.property : undefined;
    const { scrollTop } = this.aside;
    const heading = element('h2', '', title);
    heading.tabIndex = -1;
    const close = button('×', 'quiet close', () => this.close());
    close.setAttribute('aria-label', 'Close');
    const head = element('header', 'panel-head', element('div', 'panel-title', heading, element('p', 'soft', this.table.title)), close);
    this.aside.replaceChildren(head, ...parts);
    const wasHidden = this.aside.hidden;
    this.aside.hidden = false;
    if (this.focusLater) {
      this.focusLater = false;
      this.aside.scrollTop = 0;
      if (wasHidden || document.activeElement === document.body) heading.focus({ preventScroll: true });
    } else {
      this.aside.scrollTop = scrollTop;
      const field = [...this.aside.querySelectorAll('[data-property]')].find((made) => made.dataset.property === focused);
      field?.querySelector('input, textarea, select, button')?.focus({ preventScroll: true });
    }
  }

  // Fields

  field(property, cell, isEditable) {
    const commit = isEditable ? (text) => this.update(property, text) : null;
    return this.labelled(property, editor(property, cell, commit, this.tables));
  }

  newField(property) {
    const cell = property.isOptional || property.isKey ? null : { bool: 'false', integer: '0', float: '0', double: '0', decimal: '0', text: '' }[property.type] ?? null;
    const shown = property.cases && !property.isOptional ? property.cases[0] : cell;
    if (shown !== null && !property.isKey) this.values[property.name] = shown;
    const commit = (text) => {
      const isMade = text === null || (property.isKey && text === '');
      if (isMade) delete this.values[property.name];
      else this.values[property.name] = text;
      if (property.isAttachment || property.type === 'data') this.redrawField(property, text, commit);
    };
    const made = this.labelled(property, editor({ ...property, isOptional: property.isOptional || property.isKey }, shown, commit, this.tables));
    if (property.isKey) made.querySelector('input, textarea')?.setAttribute('placeholder', 'made by itself if it can be');
    return made;
  }

  redrawField(property, text, commit) {
    const cell = property.type === 'data' && text !== null ? { bytes: text, size: atob(text).length } : text;
    const field = [...this.aside.querySelectorAll('[data-property]')].find((made) => made.dataset.property === property.name);
    field.replaceWith(this.labelled(property, editor(property, cell, commit)));
  }

  labelled(property, made) {
    const control = made.matches('input, textarea, select') ? made : made.querySelector('input:not(.unseen), textarea, select');
    const label = element(control ? 'label' : 'span', 'field-name', property.name);
    if (control) {
      control.id = newID('field');
      label.htmlFor = control.id;
      control.removeAttribute('aria-label');
    }
    const kind = [property.swiftType, property.isKey && 'key', property.isDerived && 'derived', property.isUnique && 'unique'].filter(Boolean).join(' · ');
    const error = element('p', 'field-error');
    error.hidden = true;
    error.setAttribute('role', 'alert');
    const field = element('div', 'field', element('div', 'field-head', label, element('span', 'soft', kind)), made, error);
    field.dataset.property = property.name;
    return field;
  }

  // Changes

  async update(property, text) {
    this.showError(property.name, '');
    await this.perform(() => api.update(this.table.name, keyText(this.detail.key), { [property.name]: text }), property.name);
  }

  /** Changes something, and shows the row as it then is; a refusal is shown at the property. */
  async perform(action, name) {
    try {
      await work.perform(action);
      await this.refresh({ isForced: true });
    } catch (refusal) {
      this.showError(refusal.property ?? name, refusal.message);
    }
  }

  showError(name, text) {
    const field = [...this.aside.querySelectorAll('[data-property]')].find((made) => made.dataset.property === name) ?? this.aside.querySelector('[data-property]');
    const error = field?.querySelector(':scope > .field-error');
    if (!error) return;
    error.textContent = text;
    error.hidden = !text;
    if (text) error.scrollIntoView({ block: 'nearest' });
  }

  async finishInsertion() {
    for (const error of this.aside.querySelectorAll('.field > .field-error')) error.hidden = true;
    try {
      const { key } = await work.perform(() => api.insert(this.table.name, this.values, this.expires));
      this.isNew = false;
      change({ row: keyText(key) });
    } catch (refusal) {
      this.showError(refusal.property, refusal.message);
    }
  }

  async delete() {
    const { table } = this;
    const key = keyText(this.detail.key);
    try {
      if (!(await confirmDeletion(table, key, this.detail.label, this.tables))) return;
      await work.perform(() => api.remove(table.name, key));
      this.close();
    } catch (refusal) {
      this.showError(undefined, refusal.message);
      work.say(refusal);
    }
  }
}
