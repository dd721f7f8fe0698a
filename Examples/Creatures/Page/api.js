// What the page asks of the server. Every function answers with the server's JSON or throws a `Refusal`.

import { query, send } from '/requests.js';

const root = '/creatures/api';
const path = (name) => `/creatures/${encodeURIComponent(name)}`;

// What has no picture with it is small, and goes out even when the page is left.
const ask = (method, path, { body, basedOn } = {}) => send(method, root + path, {
  body, basedOn, keepalive: body === undefined, silence: 'The server does not answer. Nothing is lost: try again in a moment.',
});

/** `picture` is what `prepare` of picture.js made: the thumbnail goes first, then the file as it was chosen. */
function write({ title, rating }, { picture, removesPicture } = {}) {
  const values = { title, rating };
  if (removesPicture) values.removesPicture = true;
  if (!picture) return { values };
  return { values: { ...values, thumbnail: picture.thumbnail.size }, body: new Blob([picture.thumbnail, picture.file]) };
}

export function add(content, picture) {
  const { values, body } = write(content, picture);
  return ask('POST', `/creatures?${query(values)}`, { body });
}

export function change(card, content, picture) {
  const { values, body } = write(content, picture);
  return ask('PUT', `${path(card.name)}?${query(values)}`, { body, basedOn: card.modified });
}

export const rate = (name, stars) => ask('PUT', `${path(name)}/rating/${stars}`);
export const remove = (name) => ask('DELETE', path(name));
export const undelete = (name) => ask('POST', `${path(name)}/undelete`);
export const card = (name) => ask('GET', path(name));
export const deleted = () => ask('GET', '/trash');
export const deleteForGood = (name) => ask('DELETE', `/trash/${encodeURIComponent(name)}`);
export const emptyTrash = () => ask('DELETE', '/trash');
export const restore = (name, thumbnail) => ask('POST', `${path(name)}/restore`, { body: thumbnail });
export const check = () => ask('POST', '/check');

/** Asks once more for a picture that was not shown, to hear why; the server then knows that it is damaged. */
export const whyNot = (address) => ask('GET', address.slice(root.length)).then(() => '', (refusal) => refusal.message);

// The version only tells one picture from another; the server does not look at it.
export const thumbnailAddress = (card) => `${root}${path(card.name)}/thumbnail?${card.picture?.id ?? ''}`;
export const pictureAddress = (card) => `${root}${path(card.name)}/picture?${card.picture?.id ?? ''}`;
export const deletedThumbnailAddress = (card) => `${root}/trash/${encodeURIComponent(card.name)}/thumbnail`;
export const remnantAddress = (card) => `${root}${path(card.name)}/remnant`;

/** Where the list is, as it is and as it becomes. */
export const eventsAddress = `${root}/events`;
