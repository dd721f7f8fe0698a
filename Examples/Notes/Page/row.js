// What stands in the list: notes, the draft, days, and that there are more notes. A part that is the same as before stays as it is.

import { longDate } from '/dates.js';
import { element } from '/elements.js';
import { dayName, marked, shortDate } from './text.js';

/** The draft that is not on the server yet stands in the list under this name. */
export const draft = 'new';

/** A part of the list: `key` tells it from the others, `state` what it shows, and `fill` puts that into an element. */
export function notePart(note, search, isUnsaved) {
  const changed = shortDate(note.modifiedAt);
  const state = JSON.stringify([note.title, note.excerpt, note.pictures, note.modifiedAt, changed, search, isUnsaved]);
  return { key: note.id, id: note.id, state, fill: (row) => fillNote(row, note, changed, search, isUnsaved) };
}

export const draftPart = {
  key: draft, id: draft, state: '', fill: (row) => row.append(element('span', 'note-title', 'New note'), element('span', 'note-more', unsavedMark())),
};

export function dayPart(date) {
  const name = dayName(date);
  return { key: `day ${date}`, className: 'day', state: name, fill: (row) => row.append(name) };
}

export function morePart(count) {
  const text = `The newest ${count} are shown. Search to find the others.`;
  return { key: 'more', className: 'more', state: text, fill: (row) => row.append(text) };
}

/** An element for a part. A screen reader hears what is no note with the list, not as a choice. */
export function makeRow({ id, className }) {
  const row = element('div', className ?? 'note');
  row.role = id ? 'option' : 'presentation';
  if (id) {
    row.dataset.id = id;
    row.tabIndex = -1;
    row.ariaSelected = 'false';
  }
  return row;
}

function fillNote(row, note, changed, search, isUnsaved) {
  const title = element('span', 'note-title', ...marked(note.title, search));
  const time = element('time', 'note-changed', changed);
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
