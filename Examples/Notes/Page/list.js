// The list on the left: it shows what the server last said and is walked with the arrow keys. Only what is in sight and differs is written to the page.

import { dayPart, draft, draftPart, morePart, notePart, RowWindow } from './row.js';

const rows = document.getElementById('notes');
const empty = document.getElementById('empty-list');
const emptyTitle = document.getElementById('empty-list-title');
const emptyHint = document.getElementById('empty-list-hint');

/** The note whose row an element is, or is part of. */
const idOf = (part) => rows.contains(part) ? part.closest('[data-id]')?.dataset.id : undefined;

export class NoteList {
  #notes = [];
  #days = [];
  #more = false;
  #search = '';
  #selected;
  #loaded = false;
  #unsaved = new Set();
  #awaitsSelected = false;
  /** The identifiers of the notes that the list shows, from above. */
  #ids = [];
  #window = new RowWindow(rows, { held: () => [this.#entrance, idOf(document.activeElement)], placed: () => this.#mark() });

  /** What the list calls with a note's id: `open` on a click, `walk` on an arrow key, `enter` and `remove` on those keys. */
  constructor({ open, walk, enter, remove }) {
    rows.addEventListener('click', (event) => {
      const id = idOf(event.target);
      if (id) open(id);
    });
    rows.addEventListener('keydown', (event) => {
      const id = idOf(event.target);
      if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
      if (this.#walk(id, event.key, walk)) event.preventDefault();
      else if (event.key === 'Enter') { event.preventDefault(); enter(id); }
      else if (event.key === 'Delete' || event.key === 'Backspace') { event.preventDefault(); remove(id); }
    });
  }

  /** Shows what the server sent for `search`. The first of other notes is the best match, so the list begins there. */
  show({ notes, days, more }, search) {
    const isOther = search !== this.#search;
    this.#notes = notes;
    this.#days = days;
    this.#more = more;
    this.#search = search;
    this.#loaded = true;
    this.#render({ fromStart: isOther });
  }

  select(id) {
    this.#selected = id;
    if (this.#window.has(id)) this.#window.reveal(id);
    else this.#window.refresh();
  }

  /** `ids` have changes that are not on the server; the draft is one of them as long as it exists. */
  markUnsaved(ids) {
    const unsaved = new Set(ids);
    if (unsaved.size === this.#unsaved.size && ids.every((id) => this.#unsaved.has(id))) return;
    this.#unsaved = unsaved;
    this.#render();
  }

  find(id) { return this.#notes.find((note) => note.id === id); }

  /** Gives the focus to the selected row, or to the first one until the server has sent the selected one. */
  focus() {
    this.#awaitsSelected = !this.#window.has(this.#selected);
    if (this.#entrance) this.#focusRow(this.#entrance);
    else document.activeElement?.blur();
  }

  /** The note to turn to when `id` goes away. */
  neighbour(id) {
    const index = this.#notes.findIndex((note) => note.id === id);
    return (this.#notes[index + 1] ?? this.#notes[index - 1])?.id;
  }

  /** The note that Tab leads to. */
  get #entrance() { return this.#window.has(this.#selected) ? this.#selected : this.#ids[0]; }

  #focusRow(id) { this.#window.reveal(id).focus({ preventScroll: true }); }

  #walk(id, key, walk) {
    const at = this.#ids.indexOf(id);
    const last = this.#ids.length - 1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + 8, PageUp: at - 8 }[key];
    if (next === undefined) return false;
    const chosen = this.#ids[Math.max(0, Math.min(last, next))];
    this.#focusRow(chosen);
    walk(chosen);
    return true;
  }

  #render(options) {
    const focused = rows.contains(document.activeElement) ? document.activeElement : undefined;
    const awaitsSelected = this.#awaitsSelected && (focused || document.activeElement === document.body);
    const parts = this.#parts();
    this.#ids = parts.filter(({ id }) => id).map(({ id }) => id);
    this.#renderEmpty(this.#ids.length === 0);
    this.#window.show(parts, options);
    this.#awaitsSelected = false;
    if (!awaitsSelected && focused?.isConnected) {
      if (document.activeElement !== focused) focused.focus({ preventScroll: true });
    } else if (focused || awaitsSelected) {
      this.focus();
    }
  }

  /** The rows with the name of a day above the first of each. */
  #parts() {
    const notes = this.#notes.map((note) => notePart(note, this.#search, this.#unsaved.has(note.id)));
    const parts = this.#unsaved.has(draft) ? [draftPart] : [];
    let index = 0;
    for (const { date, count } of this.#days) {
      parts.push(dayPart(date), ...notes.slice(index, index + count));
      index += count;
    }
    parts.push(...notes.slice(index));
    if (this.#more) parts.push(morePart(this.#notes.length));
    return parts;
  }

  /** Marks the selected row, and the one that Tab leads to. */
  #mark() {
    const entrance = this.#entrance;
    for (const row of rows.querySelectorAll('[data-id]')) {
      const isSelected = String(row.dataset.id === this.#selected);
      const tabIndex = row.dataset.id === entrance ? 0 : -1;
      if (row.ariaSelected !== isSelected) row.ariaSelected = isSelected;
      if (row.tabIndex !== tabIndex) row.tabIndex = tabIndex;
    }
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
