// The list on the left: it shows what the server last said and is walked with the arrow keys. Only what differs is written to the page.

import { dayPart, draft, draftPart, makeRow, morePart, notePart } from './row.js';

const rows = document.getElementById('notes');
const empty = document.getElementById('empty-list');
const emptyTitle = document.getElementById('empty-list-title');
const emptyHint = document.getElementById('empty-list-hint');

export class NoteList {
  #notes = [];
  #days = [];
  #more = false;
  #search = '';
  #selected;
  #loaded = false;
  #unsaved = new Set();
  #awaitsSelected = false;
  /** What the list shows: an element and the state that was put into it, by the keys of the parts. */
  #made = new Map();
  /** The identifiers of the notes that the list shows, from above. */
  #ids = [];
  /** The row that Tab leads to. */
  #entrance;

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

  /** Shows what the server sent for `search`. The first of other notes is the best match, so the list begins there. */
  show({ notes, days, more }, search) {
    const isOther = search !== this.#search;
    this.#notes = notes;
    this.#days = days;
    this.#more = more;
    this.#search = search;
    this.#loaded = true;
    this.#render();
    if (isOther) rows.scrollTop = 0;
  }

  select(id) {
    this.#mark(id);
    this.#row(id)?.scrollIntoView({ block: 'nearest' });
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
    const selected = this.#row(this.#selected);
    this.#awaitsSelected = !selected;
    const row = selected ?? this.#row(this.#ids[0]);
    if (row) row.focus();
    else document.activeElement?.blur();
  }

  /** The note to turn to when `id` goes away. */
  neighbour(id) {
    const index = this.#notes.findIndex((note) => note.id === id);
    return (this.#notes[index + 1] ?? this.#notes[index - 1])?.id;
  }

  #row(id) { return id && this.#made.get(id)?.row; }

  #walk(id, key, walk) {
    const at = this.#ids.indexOf(id);
    const last = this.#ids.length - 1;
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last, PageDown: at + 8, PageUp: at - 8 }[key];
    if (next === undefined) return false;
    const chosen = this.#ids[Math.max(0, Math.min(last, next))];
    this.#row(chosen).focus();
    walk(chosen);
    return true;
  }

  #render() {
    const focused = rows.contains(document.activeElement) ? document.activeElement : undefined;
    const awaitsSelected = this.#awaitsSelected && (focused || document.activeElement === document.body);
    const parts = this.#parts();
    this.#ids = parts.filter(({ id }) => id).map(({ id }) => id);
    this.#place(parts);
    this.#mark(this.#selected);
    this.#renderEmpty(this.#ids.length === 0);
    this.#awaitsSelected = false;
    if (!awaitsSelected && focused?.isConnected) {
      if (document.activeElement !== focused) focused.focus();
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

  /** Brings the parts into the list in their order. What is there already stays, so that its focus stays as well. */
  #place(parts) {
    const made = new Map();
    for (const part of parts) {
      const old = this.#made.get(part.key);
      const row = old?.row ?? makeRow(part);
      if (old?.state !== part.state) {
        row.replaceChildren();
        part.fill(row);
      }
      made.set(part.key, { row, state: part.state });
    }
    for (const [key, { row }] of this.#made) if (!made.has(key)) row.remove();
    let next = rows.firstElementChild;
    for (const { row } of made.values()) {
      if (row === next) next = next.nextElementSibling;
      else rows.insertBefore(row, next);
    }
    this.#made = made;
  }

  /** Marks the selected row, to which Tab leads; without one it leads to the first. */
  #mark(id) {
    if (id !== this.#selected) {
      const before = this.#row(this.#selected);
      if (before) before.ariaSelected = 'false';
    }
    this.#selected = id;
    const row = this.#row(id);
    if (row && row.ariaSelected !== 'true') row.ariaSelected = 'true';
    const entrance = row ?? this.#row(this.#ids[0]);
    if (entrance === this.#entrance) return;
    if (this.#entrance) this.#entrance.tabIndex = -1;
    if (entrance) entrance.tabIndex = 0;
    this.#entrance = entrance;
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
