// The list on the left: it shows what the server last said and is walked with the arrow keys.

import { longDate } from '/dates.js';
import { element } from '/elements.js';
import { dayName, marked, shortDate } from './text.js';

const rows = document.getElementById('notes');
const empty = document.getElementById('empty-list');
const emptyTitle = document.getElementById('empty-list-title');
const emptyHint = document.getElementById('empty-list-hint');

/** The draft that is not on the server yet stands in the list under this name. */
export const draft = 'new';

export class NoteList {
  #notes = [];
  #days = [];
  #more = false;
  #search = '';
  #selected;
  #loaded = false;
  #unsaved = new Set();
  #awaitsSelected = false;

  /** What the list calls with a note's id: `open` on a click, `walk` on an arrow key, `enter` and `remove` on those keys. */
  constructor({ open, walk, enter, remove }) {
    rows.addEventListener('click', (event) => {
      const row = event.target.closest('[data-id]');
      if (row) open(row.dataset.id);
    });
    rows.addEventListener('keydown', (event) => {
      const id = event.target.closest('[data-id]')?.dataset.id;
      if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.#walk(id, event.key, walk)) event.preventDefault();
      else if (event.key === 'Enter') { event.preventDefault(); enter(id); }
      else if (event.key === 'Delete' || event.key === 'Backspace') { event.preventDefault(); remove(id); }
    });
  }

  get notes() { return this.#notes; }

  /** Shows what the server sent for `search`. */
  show({ notes, days, more }, search) {
    this.#notes = notes;
    this.#days = days;
    this.#more = more;
    this.#search = search;
    this.#loaded = true;
    this.#render();
  }

  select(id) {
    this.#selected = id;
    this.#render();
    this.#row(id)?.scrollIntoView({ block: 'nearest' });
  }

  /** `ids` have changes that are not on the server; the draft is one of them as long as it exists. */
  markUnsaved(ids) {
    this.#unsaved = new Set(ids);
    this.#render();
  }

  find(id) { return this.#notes.find((note) => note.id === id); }

  /** Gives the focus to the selected row, or to the first one until the server has sent the selected one. */
  focus() {
    const selected = this.#row(this.#selected);
    this.#awaitsSelected = !selected;
    const row = selected ?? rows.querySelector('[data-id]');
    if (row) row.focus();
    else document.activeElement?.blur();
  }

  /** The note to turn to when `id` goes away. */
  neighbour(id) {
    const index = this.#notes.findIndex((note) => note.id === id);
    return (this.#notes[index + 1] ?? this.#notes[index - 1])?.id;
  }

  #row(id) { return id && rows.querySelector(`[data-id="${CSS.escape(id)}"]`); }

  #walk(id, key, walk) {
    const all = [...rows.querySelectorAll('[data-id]')];
    const at = all.findIndex((row) => row.dataset.id === id);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1, PageDown: at + 8, PageUp: at - 8 }[key];
    if (next === undefined) return false;
    const row = all[Math.max(0, Math.min(all.length - 1, next))];
    row.focus();
    walk(row.dataset.id);
    return true;
  }

  #render() {
    const isFocused = rows.contains(document.activeElement);
    const awaitsSelected = this.#awaitsSelected && (isFocused || document.activeElement === document.body);
    const focused = isFocused && !awaitsSelected ? document.activeElement.dataset.id : undefined;
    const shown = this.#notes.map((note) => this.#noteRow(note));
    if (this.#unsaved.has(draft)) shown.unshift(this.#draftRow());
    const current = shown.find((row) => row.dataset.id === this.#selected) ?? shown[0];
    if (current) current.tabIndex = 0;
    if (this.#more) shown.push(element('li', 'more', `The newest ${this.#notes.length} are shown. Search to find the others.`));
    rows.replaceChildren(...this.#withDays(shown));
    this.#renderEmpty(shown.length === 0);
    this.#awaitsSelected = false;
    if (this.#row(focused)) this.#row(focused).focus();
    else if (isFocused || awaitsSelected) this.focus();
  }

  /** The rows with the name of a day above the first of each. A screen reader hears it with the list, not as a choice. */
  #withDays(shown) {
    const headed = [...shown];
    let index = this.#unsaved.has(draft) ? 1 : 0;
    for (const { date, count } of this.#days) {
      const name = element('li', 'day', dayName(date));
      name.role = 'presentation';
      headed.splice(headed.indexOf(shown[index]), 0, name);
      index += count;
    }
    return headed;
  }

  #noteRow(note) {
    const row = element('li', 'note');
    row.dataset.id = note.id;
    row.role = 'option';
    row.tabIndex = -1;
    row.ariaSelected = String(note.id === this.#selected);
    const title = element('span', 'note-title', ...marked(note.title, this.#search));
    const changed = element('time', 'note-changed', shortDate(note.modifiedAt));
    changed.title = `Changed ${longDate(note.modifiedAt)}`;
    const excerpt = element('span', 'note-excerpt', ...marked(note.excerpt, this.#search));
    title.dir = excerpt.dir = 'auto';
    const made = element('span', 'note-made', `Made ${shortDate(note.createdAt)}`);
    if (note.pictures) made.append(` · ${note.pictures === 1 ? '1 picture' : `${note.pictures} pictures`}`);
    if (this.#unsaved.has(note.id)) made.append(' · ', element('strong', 'note-unsaved', 'not saved'));
    row.append(title, changed, excerpt, made);
    return row;
  }

  #draftRow() {
    const row = element('li', 'note', element('span', 'note-title', 'New note'), element('span', 'note-made', element('strong', 'note-unsaved', 'not saved')));
    row.dataset.id = draft;
    row.role = 'option';
    row.tabIndex = -1;
    row.ariaSelected = String(draft === this.#selected);
    return row;
  }

  #renderEmpty(isEmpty) {
    empty.hidden = !isEmpty || !this.#loaded;
    rows.hidden = isEmpty;
    emptyTitle.textContent = this.#search ? 'Nothing found' : 'The shelf is empty';
    emptyHint.textContent = this.#search
      ? `No note has words that begin with “${this.#search}”.`
      : 'Press N, or New, to write the first note.';
  }
}
