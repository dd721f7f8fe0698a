// A document: its key, its JSON, and when it expires. What is written is in the file at once.

import * as api from './api.js';
import { card, attachmentsIn } from './attachments.js';
import { confirmDeletion } from './deletion.js';
import { button, element, newID, say } from './elements.js';
import { expiryEditor } from './expiry.js';
import { historySection } from './history.js';
import { indented, problem } from './json.js';
import { jsonEditor } from './jsoneditor.js';
import { change } from './place.js';

/** The document in a panel. */
export class DocumentEditor {
  constructor(panel) {
    this.panel = panel;
  }

  get name() { return JSON.parse(this.key)[0].slice(1); }

  /** Whether the user has written what isn't saved. */
  get isChanged() { return this.text !== undefined && this.text !== indented(this.content.json); }

  /** Shows the document with the key. What the user is writing stays. */
  async show(table, key) {
    const isSame = this.table === table && this.key === key;
    if (!isSame) Object.assign(this, { table, key, content: undefined, text: undefined });
    let content;
    try {
      content = await api.documentContent(table.name, key);
    } catch (refusal) {
      if (this.panel.key === key && !this.isChanged) this.panel.replace(this.name, [element('p', 'gone', refusal.message)]);
      return;
    }
    const { panel } = this;
    if (panel.key !== key || panel.table !== table || panel.isNew) return;
    if (this.content && (this.isChanged || (JSON.stringify(content) === JSON.stringify(this.content) && !panel.aside.hidden))) return;
    this.content = content;
    this.draw();
  }

  draw() {
    const { panel, table } = this;
    const { json, expires, history } = this.content;
    const { isWritable } = panel.store;
    this.text = undefined;
    const made = jsonEditor(json, 'JSON', isWritable ? () => {} : null);
    const parts = [field('json', 'JSON', made), ...attachmentsIn(json).map(card)];
    const actions = element('p', 'actions');
    if (isWritable) {
      const save = button('Save document', 'primary', () => this.save());
      save.disabled = true;
      made.querySelector('textarea').addEventListener('input', (event) => {
        this.text = event.target.value;
        save.disabled = !this.isChanged || Boolean(problem(this.text));
      });
      actions.append(button('Delete…', 'danger', () => this.delete()), save);
    }
    const setExpiry = isWritable ? (text) => this.perform(() => api.expireDocument(table.name, this.name, text, this.content.json), 'expires') : null;
    const refresh = isWritable ? () => this.refresh() : null;
    panel.replace(this.name, [element('div', 'fields', ...parts, expiryEditor(expires, setExpiry)), ...historySection(table, this.key, history, refresh), actions]);
  }

  async refresh() {
    this.content = await api.documentContent(this.table.name, this.key);
    this.draw();
  }

  async save() {
    await this.perform(() => api.saveDocument(this.table.name, this.name, this.text, this.content.json), 'json');
  }

  /** Writes something, and shows the document as it then is; a refusal is shown at the field. */
  async perform(action, name) {
    const { table, key, content: before, name: document } = this;
    const isShown = () => this.table === table && this.key === key;
    this.panel.showError(name, '');
    const text = name === 'json' ? undefined : this.text;
    let after;
    try {
      after = await action();
    } catch (refusal) {
      if (isShown()) this.panel.showError(name, refusal.message);
      else say(refusal.message, true);
      return;
    }
    if (isShown()) {
      this.content = after;
      if (text === undefined) this.draw();
    }
    say('Saved.', false, () => this.takeBack(table, document, before, after));
  }

  async delete() {
    const { table, name, content } = this;
    try {
      if (!(await confirmDeletion(table, this.key, name, this.panel.tables))) return;
      await api.deleteDocument(table.name, name, content.json);
      this.panel.close();
      say('Deleted.', false, () => this.takeBack(table, name, content, null));
    } catch (refusal) {
      say(refusal.message, true);
    }
  }

  /** Writes what a document was before, unless somebody has changed it since. Null stands for no document. */
  async takeBack(table, name, before, after) {
    try {
      if (!before) {
        await api.deleteDocument(table.name, name, after.json);
      } else {
        let { json, expires } = after ?? {};
        if (json !== before.json) ({ json, expires } = await api.saveDocument(table.name, name, before.json, json));
        if (expires !== before.expires) await api.expireDocument(table.name, name, before.expires, json);
      }
      say('Undone.');
      await this.panel.refresh();
    } catch (refusal) {
      say(refusal.message, true);
    }
  }

  /** Shows the empty fields of a new document. */
  insert(table) {
    const { panel } = this;
    const name = element('input', '');
    const body = field('json', 'JSON', jsonEditor('{}', 'JSON', () => {}));
    const insert = async () => {
      panel.showError('key', '');
      panel.showError('json', '');
      if (!name.value) return panel.showError('key', 'A document needs a key.');
      try {
        const made = await api.saveDocument(table.name, name.value, body.querySelector('textarea').value);
        panel.isNew = false;
        change({ row: JSON.stringify([`t${name.value}`]) });
        say('Saved.', false, () => this.takeBack(table, name.value, null, made));
      } catch (refusal) {
        panel.showError(refusal.status === 409 ? 'key' : 'json', refusal.message);
      }
    };
    panel.replace(`New document in ${table.title}`, [
      element('div', 'fields', field('key', 'Key', name), body),
      element('p', 'actions', button('Cancel', '', () => panel.close()), button('Insert', 'primary', insert)),
    ]);
    name.focus();
  }
}

function field(property, title, made) {
  const control = made.matches('input') ? made : made.querySelector('textarea');
  const label = element('label', 'field-name', title);
  control.id = newID('document');
  control.removeAttribute('aria-label');
  label.htmlFor = control.id;
  const error = element('p', 'field-error');
  error.hidden = true;
  error.setAttribute('role', 'alert');
  const whole = element('div', 'field', element('div', 'field-head', label), made, error);
  whole.dataset.property = property;
  return whole;
}
