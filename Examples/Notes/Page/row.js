// What stands in the list: notes, the draft, days, and that there are more notes. Of these parts the document has those in sight.

import { longDate } from '/dates.js';
import { element } from '/elements.js';
import { dayName, marked, shortDate } from './text.js';

/** The draft that is not on the server yet stands in the list under this name. */
export const draft = 'new';

/**
 * A part of the list: `key` tells it from the others, `state` what it shows, and `fill` puts that into an element. Parts of a `kind` are
 * equally tall.
 */
export const notePart = (note, search, isUnsaved) => ({
  key: note.id,
  id: note.id,
  kind: note.pictures || isUnsaved ? 'note of three lines' : 'note',
  get state() { return JSON.stringify([note.title, note.excerpt, note.pictures, note.modifiedAt, shortDate(note.modifiedAt), search, isUnsaved]); },
  fill: (row) => fillNote(row, note, search, isUnsaved),
});

export const draftPart = {
  key: draft,
  id: draft,
  kind: 'draft',
  state: '',
  fill: (row) => row.append(element('span', 'note-title', 'New note'), element('span', 'note-more', unsavedMark())),
};

export function dayPart(date) {
  const name = dayName(date);
  return { key: `day ${date}`, kind: 'day', className: 'day', state: name, fill: (row) => row.append(name) };
}

export function morePart(count) {
  const text = `The newest ${count} are shown. Search to find the others.`;
  return { key: 'more', kind: 'more', className: 'more', state: text, fill: (row) => row.append(text) };
}

/** How far beyond what is in sight there are rows, in pixels. */
const reserve = 600;
/** What a part is taken to be tall until one of its kind has been measured. */
const usualHeight = 66;
/** The space between two rows. */
const between = 1;

/**
 * The rows of a list that scrolls. The document has those in sight with some above and below, the name of the day at the top, and those that
 * `held` names by key; margins take the place of all others. `placed` is called after the rows have changed.
 */
export class RowWindow {
  #list;
  #held;
  #placed;
  #parts = [];
  #indexes = new Map();
  #count = 0;
  /** Where each part begins, and where the last one ends. */
  #tops = [0];
  #heights = new Map();
  /** An element and what was written to it, by the keys of the parts that the document has. */
  #made = new Map();

  constructor(list, { held, placed }) {
    this.#list = list;
    this.#held = held;
    this.#placed = placed;
    list.addEventListener('scroll', () => this.#place(list.scrollTop));
    new ResizeObserver(() => {
      if (!list.clientHeight) return;
      this.#heights.clear();
      this.#stack();
      this.#place(list.scrollTop);
    }).observe(list);
  }

  has(key) { return this.#indexes.has(key); }

  /** Shows the parts, from their beginning or with what is in sight where it was. */
  show(parts, { fromStart = false } = {}) {
    const mark = fromStart ? undefined : this.#landmark(parts);
    this.#parts = parts;
    this.#indexes = new Map(parts.map(({ key }, index) => [key, index]));
    this.#count = 0;
    for (const part of parts) if (part.id) part.position = this.#count += 1;
    this.#stack();
    const top = fromStart ? 0 : mark ? this.#tops[this.#indexes.get(mark.key)] + mark.offset : this.#list.scrollTop;
    this.#place(top);
    if (this.#list.scrollTop !== top) this.#list.scrollTop = top;
  }

  /** Scrolls as little as brings a part into sight. Returns its row. */
  reveal(key) {
    const index = this.#indexes.get(key);
    const { scrollTop, clientHeight } = this.#list;
    // The name of a day covers what is below it.
    const day = this.#parts.find(({ kind }) => kind === 'day');
    const highest = Math.max(0, this.#tops[index] - (day ? this.#height(day) + between : 0));
    const top = clientHeight ? Math.min(Math.max(scrollTop, this.#tops[index + 1] - clientHeight), highest) : scrollTop;
    this.#place(top, key);
    if (top !== scrollTop) this.#list.scrollTop = top;
    return this.#made.get(key).row;
  }

  /** Looks again at which rows are held. */
  refresh() { this.#place(this.#list.scrollTop); }

  #height({ kind }) { return this.#heights.get(kind) ?? usualHeight; }

  #stack() {
    this.#tops = [0];
    for (const part of this.#parts) this.#tops.push(this.#tops.at(-1) + this.#height(part) + between);
  }

  /** The first row in sight that stays as it is, and how far it is scrolled. At the top of the list there is none, so that new notes show. */
  #landmark(parts) {
    const top = this.#list.scrollTop;
    if (top <= 0) return undefined;
    const next = new Map(parts.map((part) => [part.key, part]));
    for (let index = this.#at(top); index < this.#parts.length && this.#tops[index] < top + this.#list.clientHeight; index += 1) {
      const { key, id } = this.#parts[index];
      const made = this.#made.get(key);
      if (id && made && made.state === next.get(key)?.state) return { key, offset: top - this.#tops[index] };
    }
    return undefined;
  }

  /** The index of the part at a height of the list. */
  #at(y) {
    let [low, high] = [0, this.#parts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The indexes of the parts that the document has if the list is scrolled to `top`. */
  #chosen(top, ...keys) {
    if (!this.#parts.length) return [];
    const first = this.#at(top - reserve);
    const last = this.#at(top + this.#list.clientHeight + reserve);
    const chosen = new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index));
    for (const key of [...keys, ...this.#held()]) if (this.has(key)) chosen.add(this.#indexes.get(key));
    const day = this.#parts.slice(0, this.#at(top) + 1).findLastIndex(({ kind }) => kind === 'day');
    if (day >= 0) chosen.add(day);
    return [...chosen].sort((one, other) => one - other);
  }

  /** Puts the rows into the list in their order. What is there already stays, so that its focus stays as well. */
  #place(top, ...keys) {
    const chosen = this.#chosen(top, ...keys);
    const made = new Map();
    chosen.forEach((index, at) => {
      const part = this.#parts[index];
      const end = at + 1 === chosen.length ? this.#tops.at(-1) - this.#tops[index + 1] : 0;
      const start = this.#tops[index] - (at ? this.#tops[chosen[at - 1] + 1] : 0);
      made.set(part.key, this.#row(part, start, end));
    });
    for (const [key, { row }] of this.#made) if (!made.has(key)) row.remove();
    let next = this.#list.firstElementChild;
    for (const { row } of made.values()) {
      if (row === next) next = next.nextElementSibling;
      else this.#list.insertBefore(row, next);
    }
    this.#made = made;
    if (this.#measure()) return this.#place(top, ...keys);
    this.#placed();
  }

  #row(part, start, end) {
    const old = this.#made.get(part.key);
    const row = old?.row ?? makeRow(part);
    const { state, position } = part;
    const margins = `${start}px 0 ${end}px`;
    if (old?.state !== state) {
      row.replaceChildren();
      part.fill(row);
    }
    if (margins !== (old?.margins ?? '0px 0 0px')) row.style.margin = margins;
    if (part.id && position !== old?.position) row.ariaPosInSet = position;
    if (part.id && this.#count !== old?.count) row.ariaSetSize = this.#count;
    return { row, state, margins, position, count: this.#count };
  }

  /** Measures kinds of parts that have not been measured. Returns whether one is not as tall as it was taken to be. */
  #measure() {
    let differs = false;
    for (const key of this.#made.keys()) {
      const part = this.#parts[this.#indexes.get(key)];
      if (this.#heights.has(part.kind)) continue;
      const { height } = this.#made.get(key).row.getBoundingClientRect();
      if (!height) continue;
      differs ||= height !== usualHeight;
      this.#heights.set(part.kind, height);
    }
    if (differs) this.#stack();
    return differs;
  }
}

/** An element for a part. A screen reader hears what is no note with the list, not as a choice. */
function makeRow({ id, className }) {
  const row = element('div', className ?? 'note');
  row.role = id ? 'option' : 'presentation';
  if (id) {
    row.dataset.id = id;
    row.tabIndex = -1;
    row.ariaSelected = 'false';
  }
  return row;
}

function fillNote(row, note, search, isUnsaved) {
  const title = element('span', 'note-title', ...marked(note.title, search));
  const time = element('time', 'note-changed', shortDate(note.modifiedAt));
  time.title = `Changed ${longDate(note.modifiedAt)}`;
  const excerpt = element('span', 'note-excerpt', ...marked(note.excerpt, search));
  title.dir = excerpt.dir = 'auto';
  row.append(title, time, excerpt);
  const pictures = note.pictures === 1 ? '1 picture' : `${note.pictures} pictures`;
  if (note.pictures && isUnsaved) row.append(element('span', 'note-more', `${pictures} · `, unsavedMark()));
  else if (note.pictures) row.append(element('span', 'note-more', pictures));
  else if (isUnsaved) row.append(element('span', 'note-more', unsavedMark()));
}

const unsavedMark = () => element('strong', 'note-unsaved', 'not saved');
