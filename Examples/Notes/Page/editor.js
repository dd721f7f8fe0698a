// The note in the editor. It saves itself shortly after each change, says how that went, and never overwrites what another
// window has written in the meantime: each save names the version it is based on, and the server refuses a stale one.

import { longDate } from '/dates.js';
import { element } from '/elements.js';
import * as api from './api.js';
import { draft } from './row.js';
import { examine, PictureLayer } from './pictures.js';
import { StyleBar } from './style.js';
import { FlowingText } from './text.js';

const form = document.getElementById('editor');
const sheet = document.getElementById('sheet');
const title = document.getElementById('title');
const text = document.getElementById('text');
const body = new FlowingText(text);
const dates = document.getElementById('dates');
const state = document.getElementById('state');
const files = document.getElementById('picture-files');
const conflict = document.getElementById('conflict');
const errors = {
  title: document.getElementById('title-error'),
  body: document.getElementById('body-error'),
  font: document.getElementById('style-error'),
  picture: document.getElementById('picture-error'),
};

const pause = 500;
const retryAfter = 2000;
const blank = { title: '', body: '', font: { name: 'Helvetica', size: 16 }, textColor: { red: 0, green: 0, blue: 0 }, images: [] };

export class Editor {
  #note;                  // the note as the server last told it; nothing for a draft
  #isOpen = false;
  #isDirty = false;
  #saving;                // the request under way that changes the note
  #timer;
  #touched = new Set();   // fields that may show an error: the user has been there
  #unsaved = new Map();   // changes that could not be saved, by note, kept while the user is elsewhere
  #conflicted = false;
  #isGone = false;        // another window has deleted the note
  #events;
  #style = new StyleBar(() => this.#edited('font'));
  #pictures = new PictureLayer(document.getElementById('pictures'), sheet, { title, text, body }, {
    address: (picture) => api.pictureAddress(this.id, picture),
    changed: () => this.#edited(),
    removed: (picture, index) => this.#pictureRemoved(picture, index),
  });

  /** `events`: `saved(note, wasDraft)`, `unsaved(ids)`, `discarded()`, `copied(note)`, `offerUndo(message, bringBack)`. */
  constructor(events) {
    this.#events = events;
    for (const [field, input] of Object.entries({ title, body })) {
      input.addEventListener('input', () => {
        if (!input.value.trim() && this.#note) this.#touched.add(field);
        this.#edited(field);
      });
      input.addEventListener('focusout', () => {
        if (this.#isDirty) this.#touched.add(field);
        this.#showObjections();
      });
    }
    // A title is one line, however many it takes on a narrow sheet.
    title.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) { event.preventDefault(); body.focus(); }
    });
    title.addEventListener('input', () => { if (/[\r\n]/.test(title.value)) title.value = title.value.replace(/\s*[\r\n]+\s*/g, ' '); });
    form.addEventListener('submit', (event) => event.preventDefault());
    document.getElementById('add-picture').addEventListener('click', () => files.click());
    files.addEventListener('change', async () => {
      await this.#addPictures([...files.files]);
      files.value = '';
    });
    sheet.addEventListener('dragover', (event) => { if (event.dataTransfer.types.includes('Files')) event.preventDefault(); });
    sheet.addEventListener('drop', (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      this.#addPictures([...event.dataTransfer.files]);
    });
    body.addEventListener('paste', (event) => {
      if (event.clipboardData.files.length) { event.preventDefault(); this.#addPictures([...event.clipboardData.files]); }
    });
  }

  get id() { return this.#isOpen ? this.#note?.id ?? draft : undefined; }
  get hasUnsaved() { return this.#isDirty || this.#unsaved.size > 0; }
  focus() { title.focus(); }

  // MARK: Opening and leaving

  /** Shows a note that the server told, or a new draft. */
  open(note) {
    this.#note = note;
    this.#isOpen = true;
    this.#isDirty = false;
    this.#touched.clear();
    this.#endConflict();
    this.#showError('picture');
    const id = note?.id ?? draft;
    const kept = this.#unsaved.get(id);
    this.#unsaved.delete(id);
    // Kept changes are still based on the version they were made on.
    if (kept?.note) this.#note = kept.note;
    const fields = kept?.fields ?? note ?? blank;
    body.show(fields.body);
    this.#show(fields);
    form.hidden = false;
    if (kept) {
      for (const field of ['title', 'body', 'font']) this.#touched.add(field);
      this.#edited();
    } else {
      this.#say(note ? 'Saved' : 'Not saved yet', note ? 'saved' : 'waiting');
      this.#showObjections();
    }
    this.#tellUnsaved();
  }

  /** Saves what can be saved and keeps the rest until the note is opened again. */
  async leave() {
    if (!this.#isOpen) return;
    await this.save();
    if (this.#isDirty) {
      const fields = this.#fields;
      const isBlankDraft = !this.#note && !fields.title.trim() && !fields.body.trim();
      if (!isBlankDraft) this.#unsaved.set(this.id, { fields, note: this.#note });
    }
    this.close();
  }

  /** Puts the editor away, and with it whatever was not saved. */
  close() {
    clearTimeout(this.#timer);
    this.#isOpen = false;
    this.#isDirty = false;
    this.#note = undefined;
    this.#endConflict();
    form.hidden = true;
    this.#tellUnsaved();
  }

  /** The note was deleted on purpose: nothing of it is kept. */
  forget(id) {
    this.#unsaved.delete(id);
    if (this.id === id) this.close();
    this.#tellUnsaved();
  }

  #show(fields) {
    title.value = fields.title;
    this.#style.show(fields);
    this.#style.apply(sheet);
    this.#pictures.show(fields.images);
    this.#fit();
    this.#showDates();
  }

  #showDates() {
    if (!this.#note) return dates.replaceChildren();
    dates.replaceChildren(element('span', '', `Made ${longDate(this.#note.createdAt)} · `), `Changed ${longDate(this.#note.modifiedAt)}`);
  }

  /** Browsers without `field-sizing` need to be told how tall the title is. */
  #fit() {
    if (CSS.supports('field-sizing', 'content')) return;
    title.style.height = 'auto';
    title.style.height = `${title.scrollHeight}px`;
  }

  // MARK: Saving

  get #fields() {
    return { title: title.value, body: body.value, font: this.#style.font, textColor: this.#style.textColor, images: this.#pictures.images };
  }

  get #objections() {
    return {
      title: title.value.trim() ? undefined : 'A note needs a title.',
      body: body.value.trim() ? undefined : 'A note needs a text.',
      font: this.#style.objection,
    };
  }

  #edited(field) {
    if (field === 'font') { this.#touched.add('font'); this.#style.apply(sheet); }
    this.#fit();
    this.#isDirty = true;
    this.#showObjections();
    this.#tellUnsaved();
    if (this.#conflicted) return;
    const why = Object.values(this.#objections).find(Boolean);
    if (why) this.#say(`Not saved: ${lowercased(why)}`, this.#note || this.#touched.size ? 'failed' : 'waiting');
    else this.#say('Saving…', 'busy');
    this.#saveAfter(pause);
  }

  #saveAfter(milliseconds) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), milliseconds);
  }

  /** Saves at once what is not saved. `explicitly`: the user asked for it, so every error may be shown. Answers whether all is saved. */
  async save({ explicitly = false, keepalive = false } = {}) {
    clearTimeout(this.#timer);
    if (explicitly) {
      for (const field of ['title', 'body', 'font']) this.#touched.add(field);
      this.#showObjections();
    }
    while (this.#saving) await this.#saving;
    if (!this.#isOpen || !this.#isDirty) return this.#isOpen && this.#note !== undefined;
    if (this.#conflicted || Object.values(this.#objections).some(Boolean)) return false;
    await this.#alone(() => this.#send(keepalive));
    return !this.#isDirty;
  }

  /** One request at a time changes the note: each is based on the version that the one before it made. */
  async #alone(request) {
    while (this.#saving) await this.#saving;
    const answer = request();
    this.#saving = answer.catch(() => {});
    try {
      return await answer;
    } finally {
      this.#saving = undefined;
    }
  }

  async #send(keepalive) {
    const note = this.#note;
    const fields = this.#fields;
    this.#say('Saving…', 'busy');
    this.#isDirty = false;
    try {
      const saved = note ? await api.change(note, fields, { keepalive }) : await api.create(fields);
      if (!this.#isOpen) return;
      this.#adopt(saved);
      this.#events.saved(this.#note, !note);
    } catch (refusal) {
      this.#isDirty = true;
      this.#refused(refusal);
    }
    this.#tellUnsaved();
  }

  #adopt(note) {
    this.#note = note;
    this.#showDates();
    if (this.#isDirty) this.#saveAfter(pause);
    else this.#say('Saved', 'saved');
  }

  #refused(refusal) {
    if (refusal.isConflict) return this.#offerVersions(refusal.answer?.note);
    if (refusal.isGone && this.#note) return this.#offerReturn();
    this.#say(`Not saved: ${lowercased(refusal.message)}`, 'failed');
    if (refusal.isUnreachable) this.#saveAfter(retryAfter);
    else if (errors[refusal.field]) this.#showError(refusal.field, refusal.message);
  }

  #say(text, kind) {
    state.textContent = text;
    state.dataset.kind = kind;
  }

  #showObjections() {
    for (const [field, objection] of Object.entries(this.#objections)) this.#showError(field, this.#touched.has(field) ? objection : undefined);
  }

  #showError(field, message) {
    errors[field].textContent = message ?? '';
    errors[field].hidden = !message;
    const input = { title, body }[field];
    if (input) input.ariaInvalid = message ? 'true' : null;
  }

  #tellUnsaved() {
    const ids = [...this.#unsaved.keys()];
    if (this.#isOpen && (!this.#note || this.#objections.title || this.#objections.body || this.#conflicted)) ids.push(this.id);
    this.#events.unsaved(ids);
  }

  // MARK: Other windows

  /** Another window may have changed the note: follow it, unless there are changes here, which the next save will settle. */
  async follow(summary) {
    if (this.#isGone) return this.#lookForReturn();
    if (!this.#note || this.#conflicted || this.#pictures.isBusy) return;
    if (this.#isDirty || this.#saving || (summary && this.#agrees(summary))) return;
    const id = this.#note.id;
    try {
      const note = await api.note(id);
      if (this.id !== id || this.#isDirty || this.#saving || note.modifiedAt < this.#note.modifiedAt) return;
      if (JSON.stringify(note) === JSON.stringify(this.#note)) return;
      this.#note = note;
      if (note.body !== body.value) body.show(note.body);
      this.#show(note);
      this.#say('Saved', 'saved');
      this.#events.saved(note, false);
    } catch (refusal) {
      if (refusal.isGone && this.id === id) this.#offerReturn();
    }
  }

  /** Whether a line of the list says the same as the note. Other programs don't write when they have changed it. */
  #agrees({ modifiedAt, title, excerpt, pictures }) {
    const note = this.#note;
    if (modifiedAt !== note.modifiedAt) return modifiedAt < note.modifiedAt;
    const start = note.body.slice(0, 2000).trim().replaceAll(/\s+/g, ' ');
    return title === note.title && pictures === note.images.length && (excerpt.startsWith('…') || start.startsWith(excerpt));
  }

  /** The window that has deleted the note may have brought it back. */
  async #lookForReturn() {
    const id = this.#note.id;
    try {
      const note = await api.note(id);
      if (this.id !== id || !this.#isGone) return;
      this.#endConflict();
      if (this.#isDirty) return await this.save({ explicitly: true });
      this.open(note);
      this.#events.saved(note, false);
    } catch (refusal) {
      if (!refusal.isGone && !refusal.isUnreachable) this.#refused(refusal);
    }
  }

  #offerVersions(theirs) {
    const mine = this.#fields;
    this.#ask('Another window has changed this note', `It was saved there ${longDate(theirs.modifiedAt)}, after you began to change it here.`, {
      'Keep mine': () => { this.#note = theirs; this.#isDirty = true; return this.save({ explicitly: true }); },
      'Take theirs': () => this.open(theirs),
      'Keep both': async () => {
        const copy = await api.create({ ...mine, ...this.#fields }, theirs.id);
        this.open(theirs);
        this.#events.saved(theirs, false);
        this.#events.copied(copy);
      },
    });
  }

  #offerReturn() {
    const id = this.#note.id;
    this.#isGone = true;
    this.#ask('Another window has deleted this note', 'What you see here is no longer stored.', {
      'Put it back': async () => {
        const note = await api.restore(id);
        const { modifiedAt } = this.#note;
        if (this.#isDirty && note.modifiedAt === modifiedAt) { this.#note = note; return this.save({ explicitly: true }); }
        this.open(note);
        this.#events.saved(note, false);
      },
      'Close': () => { this.forget(id); this.#events.discarded(); },
    });
  }

  #ask(heading, text, answers) {
    this.#conflicted = true;
    document.getElementById('conflict-title').textContent = heading;
    document.getElementById('conflict-text').textContent = text;
    document.getElementById('conflict-actions').replaceChildren(...Object.entries(answers).map(([label, answer]) => {
      const button = element('button', '', label);
      button.type = 'button';
      button.addEventListener('click', async () => {
        this.#endConflict();
        try {
          await answer();
        } catch (refusal) {
          this.#refused(refusal);
        }
      });
      return button;
    }));
    conflict.hidden = false;
    this.#say('Not saved: see above', 'failed');
    this.#tellUnsaved();
  }

  #endConflict() {
    this.#conflicted = false;
    this.#isGone = false;
    conflict.hidden = true;
  }

  // MARK: Pictures

  async #addPictures(chosen) {
    this.#showError('picture');
    for (const file of chosen) {
      try {
        const size = await examine(file);
        if (!await this.save({ explicitly: true })) throw new Error('A picture needs a saved note: see what keeps this one from being saved.');
        const note = await this.#alone(() => api.addPicture(this.#note, file, this.#pictures.frameBelow(size)));
        if (this.id !== note.id) return;
        this.#pictures.show([...this.#pictures.images, note.images.at(-1)]);
        this.#adopt(note);
        this.#events.saved(note, false);
      } catch (refusal) {
        if (refusal.isConflict) return this.#offerVersions(refusal.answer?.note);
        this.#showError('picture', refusal.message);
      }
    }
  }

  #pictureRemoved(picture, index) {
    const id = this.id;
    this.#edited();
    this.#events.offerUndo(`“${picture.name}” was removed.`, async () => {
      if (this.id !== id) return;
      this.#pictures.show(this.#pictures.images.toSpliced(index, 0, picture));
      this.#edited();
    });
  }
}

const lowercased = (sentence) => sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
