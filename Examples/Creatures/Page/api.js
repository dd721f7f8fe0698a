// What the page asks of the server. Every function answers with the server's JSON or throws a `Refusal`.

const root = '/creatures/api';

/** An answer other than success: `fields` says what is wrong with which field. */
export class Refusal extends Error {
  constructor(status, { message, fields } = {}) {
    super(message ?? `The server answered ${status}.`);
    this.status = status;
    this.fields = fields ?? {};
  }

  get isUnreachable() { return this.status === 0; }
}

const query = (values) => Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
const path = (name) => `/creatures/${encodeURIComponent(name)}`;

async function send(method, path, { body, basedOn } = {}) {
  const headers = basedOn === undefined ? {} : { 'If-Match': `"${basedOn}"` };
  let response;
  try {
    // What has no picture with it is small, and goes out even when the page is left.
    response = await fetch(root + path, { method, headers, body, keepalive: body === undefined });
  } catch {
    throw new Refusal(0, { message: 'The server does not answer. Nothing is lost: try again in a moment.' });
  }
  const answer = response.headers.get('Content-Type')?.startsWith('application/json') ? await response.json() : undefined;
  if (!response.ok) throw new Refusal(response.status, answer?.error ?? answer);
  return answer;
}

/** `picture` is what `prepare` of picture.js made: the thumbnail goes first, then the file as it was chosen. */
function write({ title, rating }, { picture, removesPicture } = {}) {
  const values = { title, rating };
  if (removesPicture) values.removesPicture = true;
  if (!picture) return { values };
  return { values: { ...values, thumbnail: picture.thumbnail.size }, body: new Blob([picture.thumbnail, picture.file]) };
}

export function add(content, picture) {
  const { values, body } = write(content, picture);
  return send('POST', `/creatures?${query(values)}`, { body });
}

export function change(card, content, picture) {
  const { values, body } = write(content, picture);
  return send('PUT', `${path(card.name)}?${query(values)}`, { body, basedOn: card.modified });
}

export const rate = (name, stars) => send('PUT', `${path(name)}/rating/${stars}`);
export const remove = (name) => send('DELETE', path(name));
export const undelete = (name) => send('POST', `${path(name)}/undelete`);
export const restore = (name, thumbnail) => send('POST', `${path(name)}/restore`, { body: thumbnail });
export const check = () => send('POST', '/check');

/** Asks once more for a picture that was not shown, to hear why; the server then knows that it is damaged. */
export const whyNot = (address) => send('GET', address.slice(root.length)).then(() => '', (refusal) => refusal.message);

// The version only tells one picture from another; the server does not look at it.
export const thumbnailAddress = (card) => `${root}${path(card.name)}/thumbnail?${card.picture?.id ?? ''}`;
export const pictureAddress = (card) => `${root}${path(card.name)}/picture?${card.picture?.id ?? ''}`;
export const remnantAddress = (card) => `${root}${path(card.name)}/remnant`;

/** The list as it is and as it becomes. */
export const events = () => new EventSource(`${root}/events`);
