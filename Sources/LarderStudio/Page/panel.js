// All of a row: its properties with their editors, when it expires, and the rows it is related to.

import * as api from './api.js';
import { keyText } from './api.js';
import { work } from './changes.js';
import { rowConflict } from './conflicts.js';
import { confirmDeletion } from './deletion.js';
import { DocumentEditor } from './document.js';
import { editor } from './editors.js';
import { button, element, focusIn, newID } from './elements.js';
import { expiryEditor } from './expiry.js';
import { Fields } from './fields.js';
import { historySection } from './history.js';
import { change } from './place.js';
import { relatedRows } from './related.js';

export class Panel {
  constructor(aside, { store, tables }) {
    Object.assign(this, { aside, store, tables });
    this.document = new DocumentEditor(this);
    this.fields = new Fields();
  }

  /** Shows the row with the key. */
  async show(table, key) {
    const isSame = this.table === table && this.key === key && !this.aside.hidden;
    if (!isSame) this.document.leave();
    Object.assign(this, { table, key, isNew: false });
    if (!isSame) {
      Object.assign(this, { focusLater: true, detail: undefined });
      this.document.clear();
    }
    await this.refresh();
  }

  /** Shows the empty fields of a new row. */
  insert(table) {
    this.document.leave();
    Object.assign(this, { table, key: undefined, isNew: true, detail: undefined, values: {} });
    this.aside.hidden = false;
    this.document.clear();
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
    this.document.leave();
    this.aside.hidden = true;
    this.isNew = false;
    change({ row: undefined });
    this.closed?.();
  }

  hide() {
    this.document.leave();
    this.aside.hidden = true;
    Object.assign(this, { key: undefined, isNew: false });
  }

  /** Reads the row again. What the user is writing stays. */
  async refresh({ isForced = false } = {}) {
    if (this.isNew || !this.key) return;
    const { table, key } = this;
    if (table.kind === 'documents') return this.document.refresh();
    let detail;
    try {
      detail = await api.row(table.name, key);
    } catch (refusal) {
      if (this.key !== key || this.table !== table || this.isNew) return;
      // Without an answer the row may still be there, and what is being written in it.
      if (this.detail && refusal.status !== 404) return;
      this.detail = undefined;
      this.replace(table.title, [element('p', 'gone', refusal.message)]);
      return;
    }
    if (this.key !== key || this.table !== table || this.isNew) return;
    const conflict = work.conflict(table, keyText(detail.key));
    if (JSON.stringify([detail, conflict]) === JSON.stringify([this.detail, this.conflict]) && !isForced) return;
    if (!this.detail) this.fields.clear();
    Object.assign(this, { detail, conflict });
    this.draw();
  }

  draw() {
    const { table, detail, conflict } = this;
    const key = keyText(detail.key);
    const isWritable = this.store.isWritable && table.kind !== 'view';
    const fields = table.properties.map((property, position) => {
      const cell = detail.cells[position];
      return { cell, make: () => this.field(property, cell, isWritable && !property.isKey && !property.isDerived) };
    });
    const setExpiry = isWritable ? (text) => this.perform(key, () => api.setExpiry(table.name, key, text), 'expires') : null;
    if (table.expires) fields.push({ cell: detail.expires, make: () => expiryEditor(detail.expires, setExpiry) });
    this.fields.show(fields);
    const history = historySection(table, key, detail.history, isWritable ? () => this.refresh({ isForced: true }) : null);
    const actions = isWritable ? [element('p', 'actions', button('Delete…', 'danger', () => this.delete(table, detail)))] : [];
    const notice = conflict ? [rowConflict(conflict, (isMine) => this.decide(conflict, isMine))] : [];
    this.replace(detail.label, [...notice, this.fields.list, ...relatedRows(table, detail, this.tables), ...history, ...actions]);
  }

  /** Puts the parts in, and the focus where it was. */
  replace(title, parts) {
    const active = this.aside.contains(document.activeElement) ? document.activeElement : undefined;
    const focused = active?.closest('[data-property]')?.dataset.property;
    const { scrollTop } = this.aside;
    const heading = element('h2', '', title);
    heading.tabIndex = -1;
    const close = button('×', 'quiet close', () => this.close());
    close.setAttribute('aria-label', 'Close');
    const head = element('header', 'panel-head', element('div', 'panel-title', heading, element('p', 'soft', this.table.title)), close);
    // A part that is there already isn't taken out and put back: that would take the focus from it.
    for (const child of [...this.aside.children]) if (!parts.includes(child)) child.remove();
    const kept = parts.findIndex((made) => made.parentNode === this.aside);
    this.aside.prepend(head, ...parts.slice(0, Math.max(0, kept)));
    this.aside.append(...parts.slice(kept + 1));
    const wasHidden = this.aside.hidden;
    this.aside.hidden = false;
    if (this.focusLater) {
      this.focusLater = false;
      this.aside.scrollTop = 0;
      if (wasHidden || document.activeElement === document.body) heading.focus({ preventScroll: true });
    } else {
      this.aside.scrollTop = scrollTop;
      if (focused === undefined || this.aside.contains(document.activeElement)) return;
      const field = [...this.aside.querySelectorAll('[data-property]')].find((made) => made.dataset.property === focused);
      if (field) focusIn(field, active.dataset.path);
    }
  }

  // Fields

  field(property, cell, isEditable) {
    const { table, detail } = this;
    const commit = isEditable ? (text) => this.update(table, keyText(detail.key), property, text) : null;
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

  async update(table, key, property, text) {
    this.showError(property.name, '');
    await this.perform(key, () => api.update(table.name, key, { [property.name]: text }), property.name);
  }

  /** Changes the row with the key, and shows it as it then is; a refusal is shown at the field of the property. */
  async perform(key, action, name) {
    const field = this.fields.field(name);
    const text = this.fields.text(field);
    try {
      await work.perform(action);
      this.fields.renew(field, text);
      await this.refresh({ isForced: true });
    } catch (refusal) {
      // Another row may be shown by now.
      if (this.detail && keyText(this.detail.key) === key) this.showError(refusal.property ?? name, refusal.message);
      else work.say(refusal);
    }
  }

  /** Says whose version of the row stays. */
  async decide(conflict, isMine) {
    await work.attempt(() => api.resolve(conflict, isMine));
    await this.refresh();
    const [property] = conflict.differences.map((difference) => this.fields.field(difference.property));
    focusIn(this.detail && property ? property.element : this.aside);
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
    const { table, values, expires } = this;
    const isShown = () => this.isNew && this.values === values && !this.aside.hidden;
    try {
      const { key } = await work.perform(() => api.insert(table.name, values, expires));
      if (!isShown()) return;
      this.isNew = false;
      change({ row: keyText(key) });
    } catch (refusal) {
      // The user may be elsewhere by now.
      if (isShown()) this.showError(refusal.property, refusal.message);
      else work.say(refusal);
    }
  }

  async delete(table, { key, label }) {
    const isShown = () => this.table === table && this.key === keyText(key) && !this.isNew && !this.aside.hidden;
    try {
      if (!(await confirmDeletion(table, keyText(key), label, this.tables))) return;
      await work.perform(() => api.remove(table.name, keyText(key)));
      if (isShown()) this.close();
    } catch (refusal) {
      if (isShown()) this.showError(undefined, refusal.message);
      work.say(refusal);
    }
  }
}
