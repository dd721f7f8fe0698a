// A document: its key, its JSON, and when it expires. What is written is in the file at once.

import * as api from './api.js';
import { card, attachmentsIn } from './attachments.js';
import { DocumentConflict } from './conflicts.js';
import { confirmDeletion } from './deletion.js';
import { button, element, focusIn, newID, say } from './elements.js';
import { expiryEditor } from './expiry.js';
import { Fields, isWritten } from './fields.js';
import { historySection } from './history.js';
import { indented, isSame, problem } from './json.js';
import { jsonEditor } from './jsoneditor.js';
import { change, place, replace } from './place.js';

/** The document in a panel. */
export class DocumentEditor {
  constructor(panel) {
    this.panel = panel;
    this.fields = new Fields();
    /** What was written in documents that were left, and isn't saved: by document, and new ones by themselves. */
    this.drafts = new Map();
  }

  get table() { return this.panel.table; }

  get name() { return JSON.parse(this.panel.key)[0].slice(1); }

  /** The text as it is being written; undefined if no document is shown. */
  get text() { return this.fields.text(this.fields.field('json')); }

  /** Whether the text is another one than what is stored. */
  get isChanged() { return this.content !== undefined && (this.content.json === null || this.text !== indented(this.content.json)); }

  /** Whether the user has changed the text, or writes in its tree. */
  get isWritten() { return this.isChanged || (this.content !== undefined && isWritten(this.fields.field('json').element)); }

  /** What is being written and isn't being saved; undefined if nothing is. */
  get draft() {
    const { table, form, content, text, panel: { key } } = this;
    if (!form) return this.isWritten && !(this.isWriting && text === this.sent) ? { table, key, content, text } : undefined;
    if (form.isSent || (!form.name.value && isSame(form.text.value, '{}'))) return undefined;
    return { table, name: form.name.value, text: form.text.value };
  }

  /** Whether anything is written, here or in a document that was left, that isn't saved. */
  get hasDrafts() { return this.drafts.size > 0 || Boolean(!this.panel.aside.hidden && this.draft); }

  /** Keeps what is being written, before the panel shows something else. It is there again when the document is. */
  leave() {
    if (this.panel.aside.hidden) return;
    // A value in the tree becomes a part of the text when its field is left.
    const isFocused = this.panel.aside.contains(document.activeElement);
    if (isFocused && (this.content || this.form)) document.activeElement.blur();
    for (const wrong of this.panel.aside.querySelectorAll('.json-leaf [aria-invalid]')) wrong.dispatchEvent(new Event('keep'));
    const { draft } = this;
    if (!draft) return;
    this.keep(draft);
    say('What you wrote is not saved.', false, () => this.goTo(draft), 'Go on writing');
  }

  keep(draft) { this.drafts.set(draft.key ? draftName(draft.table, draft.key) : draft, draft); }

  /** Shows the document of a draft. */
  goTo(draft) {
    const { table, key } = draft;
    const elsewhere = { where: undefined, search: undefined, sort: undefined, of: undefined, relationship: undefined, key: undefined };
    if (!key) {
      // What is being written of another new document is kept, and the last one is taken up.
      this.leave();
      this.form = undefined;
      if (this.drafts.delete(draft)) this.keep(draft);
    }
    replace({ ...(place().table === table.name ? {} : elsewhere), view: undefined, table: table.name, row: key });
    if (!key && !this.form) this.panel.insert(table);
  }

  /** The draft of what is shown, which is no longer one of a document that was left. */
  takeDraft() {
    const { drafts, table, panel: { key } } = this;
    const isOfTable = (draft) => !draft.key && draft.table.name === table.name;
    const name = key ? draftName(table, key) : [...drafts.values()].findLast(isOfTable);
    const draft = drafts.get(name);
    drafts.delete(name);
    if (draft) say('This is what you wrote before. It is not saved.', false, () => this.discard(), 'Discard');
    return draft;
  }

  /** Shows what is stored instead of what is being written. */
  discard() {
    const { content, conflict, form, panel } = this;
    if (form) {
      this.clear();
      return panel.close();
    }
    if (!this.isWritten) return undefined;
    this.conflict = undefined;
    this.renew('json');
    this.content = undefined;
    return conflict ? this.take(conflict.theirs, conflict.message) : this.take(content.json === null ? null : content, 'There is no such document any longer.');
  }

  /** Begins anew, for another document. */
  clear() {
    this.form = undefined;
    this.fields.clear();
    this.content = undefined;
    this.conflict = undefined;
    this.isWriting = false;
  }

  /** Reads the document again. What the user is writing stays. */
  async refresh() {
    const { panel, table } = this;
    const { key } = panel;
    const isClosed = () => panel.aside.hidden && this.content;
    const isShown = () => panel.key === key && panel.table === table && !panel.isNew && !isClosed() && !this.isWriting;
    if (!isShown()) return;
    // Of several responses, the one that was asked for last is the newest.
    const reading = {};
    this.reading = reading;
    let stored;
    try {
      stored = await api.documentContent(table.name, key);
    } catch (refusal) {
      // Without an answer the document may still be there.
      if (!isShown() || this.reading !== reading || (this.content && refusal.status !== 404)) return;
      return refusal.status === 404 ? this.take(null, refusal.message) : this.showGone(refusal.message);
    }
    if (isShown() && this.reading === reading) this.take({ ...stored, expires: stored.expires ?? null });
  }

  /** Shows what is stored, or null and why there is nothing. What the user is writing stays, and has a conflict if the JSON is another one. */
  take(stored, message) {
    const json = stored?.json ?? null;
    const draft = this.content ? undefined : this.takeDraft();
    if (draft) {
      this.content = draft.content;
      this.draw();
      rewrite(this.fields.field('json').element.querySelector('textarea'), draft.text);
    }
    const isKept = this.isWritten && !(json && isSame(json, this.text));
    if (!isKept && !stored) return this.showGone(message);
    const before = this.state;
    const isConflict = isKept && json !== this.content.json;
    if (isConflict) {
      this.conflict = { theirs: stored, message };
    } else {
      if (!isKept && json !== this.content?.json) this.renew('json');
      this.conflict = undefined;
      this.content = stored ?? this.content;
    }
    if (this.state === before) return;
    this.draw();
    if (isConflict) say(this.notice.title, true);
  }

  /** What is shown, apart from the text that is being written. */
  get state() { return JSON.stringify([this.content, this.conflict && [this.conflict.theirs]]); }

  /** Has a field shown as it is stored, whatever is written in it. */
  renew(property) {
    const field = this.fields.field(property);
    this.fields.renew(field, this.fields.text(field));
  }

  showGone(message) {
    this.clear();
    this.panel.replace(this.name, [element('p', 'gone', message)]);
  }

  draw() {
    const { panel, table, content, conflict, fields } = this;
    const { json, expires, history } = content;
    const { isWritable } = panel.store;
    const isStored = json !== null;
    const setExpiry = isWritable && isStored ? (text) => this.write({ json: this.content.json, expires: text }, 'expires', { ...this.content, expires }) : null;
    // A text is kept because it isn't the one that is stored now, even if it is what was stored when the field was made.
    const old = fields.field('json');
    if (old && this.isWritten) old.element.querySelector('textarea').defaultValue = indented(json ?? '');
    fields.show([
      { cell: json, make: () => this.jsonField(json ?? this.text, isWritable) },
      { cell: [expires, isStored], make: () => expiryEditor(expires, setExpiry) },
    ]);
    this.notice = conflict && new DocumentConflict(this.text, conflict.theirs?.json ?? null, (isMine) => this.decide(isMine));
    const notice = this.notice ? [this.notice.element] : [];
    const written = historySection(table, panel.key, history, isWritable ? () => this.refresh() : null);
    panel.replace(this.name, [...notice, fields.list, ...written, ...this.actions(isWritable, isStored)]);
  }

  jsonField(json, isWritable) {
    const made = jsonEditor(json, 'JSON', isWritable ? () => {} : null);
    made.append(...attachmentsIn(json).map(card));
    made.querySelector('textarea').addEventListener('input', () => {
      this.markSave();
      this.notice?.show(this.text);
    });
    return field('json', 'JSON', made);
  }

  actions(isWritable, isStored) {
    if (!isWritable) return [];
    this.saving = button('Save document', 'primary', () => this.write({ json: this.text, expires: this.content.expires }, 'json'));
    this.discarding = button('Discard changes', '', () => this.discard());
    this.markSave();
    return [element('p', 'actions', ...(isStored ? [button('Delete…', 'danger', () => this.delete())] : []), this.discarding, this.saving)];
  }

  markSave() {
    if (!this.saving) return;
    this.saving.disabled = !this.isChanged || Boolean(problem(this.text));
    this.discarding.hidden = !this.isChanged || Boolean(this.conflict);
  }

  /** Goes on from the version that the user has seen: with the text that is being written, or with what is stored. */
  decide(isMine) {
    const { conflict: { theirs, message }, content, panel } = this;
    this.conflict = undefined;
    panel.showError('json', '');
    if (isMine) {
      const isOver = content.expires && new Date(content.expires) <= new Date();
      this.content = theirs ?? { json: null, expires: isOver ? null : content.expires };
      this.draw();
    } else {
      this.renew('json');
      this.content = undefined;
      this.take(theirs, message);
    }
    focusIn(this.fields.field('json')?.element ?? panel.aside);
  }

  /** Writes a version of the document in the place of the one that was shown. A refusal is shown at the field. */
  async write(after, property, shownBefore = this.content) {
    const { table, name, panel, fields } = this;
    const before = shownBefore.json === null ? null : shownBefore;
    const { list } = fields;
    const isShown = () => fields.list === list && !panel.aside.hidden;
    const draft = { table, key: panel.key, content: shownBefore, text: this.text };
    const draftKey = draftName(table, panel.key);
    const shown = fields.field(property);
    const text = fields.text(shown);
    panel.showError(property, '');
    this.isWriting = true;
    this.sent = property === 'json' ? after.json : undefined;
    this.reading = undefined;
    let made;
    let refusal;
    try {
      made = await api.changeDocument(table.name, name, before, after);
    } catch (error) {
      refusal = error;
    }
    if (!isShown()) {
      if (refusal && property === 'json' && !this.drafts.has(draftKey)) this.drafts.set(draftKey, draft);
      const left = this.drafts.get(draftKey);
      if (left && made) left.content = { ...made, expires: made.expires ?? null };
      const goOn = left ? [() => this.goTo(left), 'Go on writing'] : [];
      if (refusal) say(refusal.message, true, ...goOn);
      else if (left) say('Saved, but not what you wrote since.', false, ...goOn);
      else say('Saved.', false, () => this.takeBack(table, name, before, made));
      return;
    }
    if (made) say('Saved.', false, () => this.takeBack(table, name, before, made));
    this.isWriting = false;
    if (made) {
      fields.renew(shown, text);
      this.content = { ...made, expires: made.expires ?? null };
      this.conflict = undefined;
      this.draw();
    }
    // The program may have written meanwhile.
    await this.refresh();
    if (!refusal) return;
    if (refusal.status === 409 && property === 'expires' && this.content) {
      this.renew(property);
      this.draw();
    }
    panel.showError(property, refusal.message);
  }

  async delete() {
    const { table, name, content, panel, fields } = this;
    const draftKey = draftName(table, panel.key);
    const { list } = fields;
    const isShown = () => fields.list === list && !panel.aside.hidden;
    try {
      if (!(await confirmDeletion(table, panel.key, name, panel.tables))) return;
      if (isShown()) {
        this.isWriting = true;
        this.sent = undefined;
      }
      await api.changeDocument(table.name, name, content, null);
      this.drafts.delete(draftKey);
      if (isShown()) {
        this.clear();
        panel.close();
      }
      say('Deleted.', false, () => this.takeBack(table, name, content, null));
    } catch (refusal) {
      if (isShown()) {
        this.isWriting = false;
        await this.refresh();
      }
      const left = this.drafts.get(draftKey);
      say(refusal.message, true, ...(left ? [() => this.goTo(left), 'Go on writing'] : []));
    }
  }

  /** Writes what a document was before, unless somebody has changed it since. Null stands for no document. */
  async takeBack(table, name, before, after) {
    try {
      await api.changeDocument(table.name, name, after, before);
      say('Undone.');
      await this.panel.refresh();
    } catch (refusal) {
      say(refusal.message, true);
    }
  }

  /** Shows the empty fields of a new document, or what was written in them before. */
  insert(table) {
    const { panel } = this;
    const name = element('input', '');
    const body = field('json', 'JSON', jsonEditor('{}', 'JSON', () => {}));
    const fields = element('div', 'fields', field('key', 'Key', name), body);
    const form = { name, text: body.querySelector('textarea') };
    panel.replace(`New document in ${table.title}`, [
      fields,
      element('p', 'actions', button('Cancel', '', () => panel.close()), button('Insert', 'primary', () => this.finishInsertion(table, form, fields))),
    ]);
    this.form = form;
    const draft = this.takeDraft();
    if (draft) {
      name.value = draft.name;
      rewrite(form.text, draft.text);
    }
    name.focus();
  }

  async finishInsertion(table, form, fields) {
    const { panel } = this;
    const [name, text] = [form.name.value, form.text.value];
    panel.showError('key', '');
    panel.showError('json', '');
    if (!name) return panel.showError('key', 'A document needs a key.');
    // What would be written meanwhile belongs to no document.
    fields.inert = true;
    form.isSent = true;
    let made;
    let refusal;
    try {
      made = await api.changeDocument(table.name, name, null, { json: text, expires: null });
    } catch (error) {
      refusal = error;
    }
    fields.inert = false;
    form.isSent = false;
    const isShown = this.form === form && !panel.aside.hidden;
    if (made) {
      if (isShown) {
        this.clear();
        panel.isNew = false;
        change({ row: JSON.stringify([`t${name}`]) });
      }
      return say('Saved.', false, () => this.takeBack(table, name, null, made));
    }
    if (isShown) return panel.showError(refusal.status === 409 ? 'key' : 'json', refusal.message);
    const draft = { table, name, text };
    this.keep(draft);
    return say(refusal.message, true, () => this.goTo(draft), 'Go on writing');
  }
}

/** What the draft of a document is found by. */
function draftName(table, key) {
  return JSON.stringify([table.name, key]);
}

/** Writes a text into an editor as the user does. */
function rewrite(field, text) {
  field.value = text;
  field.dispatchEvent(new Event('input'));
  field.dispatchEvent(new Event('replaced'));
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
