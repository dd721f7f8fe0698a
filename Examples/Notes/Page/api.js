// What the page asks of the server. Every function answers with the server's JSON or throws a `Refusal`.

import { query, send } from '/requests.js';

const root = '/notes/api';
/** A browser lets a request outlive its page up to 64 KB. */
const keptAlive = 20_000;

export const note = (id) => send('GET', `${root}/notes/${id}`);
export const create = (fields, copyOf) => send('POST', `${root}/notes${copyOf ? `?${query({ copyOf })}` : ''}`, { json: fields });

/** `keepalive` lets the change outlive the page, unless it is too long for that. */
export function change(note, fields, { keepalive = false } = {}) {
  const isKept = keepalive && JSON.stringify(fields).length < keptAlive;
  return send('PUT', `${root}/notes/${note.id}`, { json: fields, basedOn: note.modifiedAt, keepalive: isKept });
}

export const remove = (id) => send('DELETE', `${root}/notes/${id}`);
export const restore = (id) => send('POST', `${root}/notes/${id}/restore`);
export const deletedNotes = () => send('GET', `${root}/deleted`);
export const removeForGood = (id) => send('DELETE', `${root}/deleted/${id}`);
export const storedRow = (id) => send('GET', `${root}/notes/${id}/row`);

export function addPicture(note, file, frame) {
  return send('POST', `${root}/notes/${note.id}/pictures?${query({ name: file.name, ...frame })}`, { body: file, basedOn: note.modifiedAt });
}

/** What names the bytes of a picture: equal bytes, equal digests. */
export const digest = (image) => image.picture['larder.attachment'];

export const pictureAddress = (noteID, image) => `/notes/pictures/${noteID}/${digest(image)}`;

/** Where the list is, as it is and as it becomes. */
export const eventsAddress = (search) => `${root}/events?${query({ search, zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}`;
