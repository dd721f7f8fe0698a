// A note on one of the devices: every field is sent when it is left, and only what differs.

import { element } from '/elements.js';

export class NoteView {
  constructor({ id }, device) {
    this.id = id;
    this.device = device;
    this.title = this.field('input', 'Title', 'title');
    this.text = this.field('textarea', 'Text', 'text');
    this.text.rows = 2;
    this.folder = this.select('Folder', (folder) => ({ folder }));
    this.label = this.select('Label', (value) => ({ label: { id: value || undefined } }));
    this.author = this.select('Author', (value) => ({ author: { id: value || undefined } }));
    this.tags = element('div', 'toggles');
    this.tags.setAttribute('role', 'group');
    this.tags.setAttribute('aria-label', 'Tags');
    this.removal = device.remove('Delete note', `notes/${id}`, () => ({ message: `“${this.note.title}” is deleted.`, path: 'notes', row: this.note }));
    const places = element('div', 'places', ...[this.folder, this.label, this.author].map((select) => select.parentElement));
    this.root = element('article', 'note', element('div', 'title', this.title, this.removal), this.text, places, this.tags);
  }

  show(note, { folders, labels, authors, tags }) {
    this.note = note;
    this.root.setAttribute('aria-label', note.title);
    this.fill(this.title, note.title);
    this.fill(this.text, note.text);
    this.choose(this.folder, folders, note.folder);
    this.choose(this.label, labels, note.label, 'none');
    this.choose(this.author, authors, note.author, 'none');
    this.showTags(tags, note.tags);
  }

  field(tag, label, property) {
    const field = element(tag);
    field.setAttribute('aria-label', label);
    field.autocomplete = 'off';
    field.maxLength = 2000;
    field.addEventListener('change', () => this.send({ [property]: field.value }));
    return field;
  }

  select(label, change) {
    const select = element('select');
    // The label's own text has the options' too.
    select.setAttribute('aria-label', label);
    element('label', '', element('span', '', label), select);
    select.addEventListener('change', () => this.send(change(select.value)));
    return select;
  }

  send(change) { return this.device.request('PATCH', `notes/${this.id}`, change); }

  /** What somebody is writing stays until it is sent. */
  fill(field, value) {
    const isBeingWritten = document.activeElement === field && field.value !== field.dataset.shown;
    if (!isBeingWritten) field.value = value;
    field.dataset.shown = value;
  }

  choose(select, rows, chosen, none) {
    const options = [...(none ? [['', none]] : []), ...rows.map(({ id, name }) => [id, name])];
    const content = JSON.stringify(options);
    if (select.dataset.content !== content) {
      select.dataset.content = content;
      select.replaceChildren(...options.map(([value, name]) => new Option(name, value)));
    }
    select.value = chosen ?? '';
  }

  showTags(tags, chosen) {
    const content = JSON.stringify(tags);
    if (this.tags.dataset.content !== content) {
      this.tags.dataset.content = content;
      this.tags.replaceChildren(...tags.map(({ id, name }) => this.toggle(id, name)));
    }
    for (const button of this.tags.children) button.setAttribute('aria-pressed', String(chosen.includes(button.dataset.id)));
  }

  toggle(id, name) {
    const button = element('button', 'toggle', `#${name}`);
    button.type = 'button';
    button.dataset.id = id;
    button.addEventListener('click', () => this.send({ tag: { id, isSet: button.getAttribute('aria-pressed') !== 'true' } }));
    return button;
  }
}
