// What the page asks of the server. Every function answers with the server's JSON or throws a `Refusal`.

const root = '/notes/api';

/** An answer other than success: `field` says where it belongs, `note` is the note as it is now if that is the reason. */
export class Refusal extends Error {
  constructor(status, { field, message, note } = {}) {
    super(message ?? `The server answered ${status}.`);
    this.status = status;
    this.field = field;
    this.note = note;
  }

  get isUnreachable() { return this.status === 0; }
  get isGone() { return this.status === 404; }
  get isConflict() { return this.status === 412; }
}

const query = (values) => Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');

async function send(method, path, { json, body, basedOn, keepalive } = {}) {
  const headers = {};
  if (json !== undefined) headers['Content-Type'] = 'application/json';
  if (basedOn !== undefined) headers['If-Match'] = `"${basedOn}"`;
  const content = json === undefined ? body : JSON.stringify(json);
  let response;
  try {
    // A browser lets a request outlive its page up to 64 KB.
    response = await fetch(root + path, { method, headers, body: content, keepalive: keepalive && content.length < 20_000 });
  } catch {
    throw new Refusal(0, { message: 'The server does not answer.' });
  }
  const answer = response.headers.get('Content-Type')?.startsWith('application/json') ? await response.json() : undefined;
  if (!response.ok) throw new Refusal(response.status, { ...answer?.error, note: answer?.note });
  return answer;
}

export const note = (id) => send('GET', `/notes/${id}`);
export const create = (fields, copyOf) => send('POST', copyOf ? `/notes?${query({ copyOf })}` : '/notes', { json: fields });
export const change = (note, fields, options) => send('PUT', `/notes/${note.id}`, { json: fields, basedOn: note.modifiedAt, ...options });
export const remove = (id) => send('DELETE', `/notes/${id}`);
export const restore = (id) => send('POST', `/notes/${id}/restore`);
export const storedRow = (id) => send('GET', `/notes/${id}/row`);

export function addPicture(note, file, frame) {
  return send('POST', `/notes/${note.id}/pictures?${query({ name: file.name, ...frame })}`, { body: file, basedOn: note.modifiedAt });
}

/** What names the bytes of a picture: equal bytes, equal digests. */
export const digest = (image) => image.picture['larder.attachment'];

export const pictureAddress = (noteID, image) => `/notes/pictures/${noteID}/${digest(image)}`;

/** The list as it is and as it becomes: one message for each change that touches it. */
export const events = (search) =>
  new EventSource(`${root}/events?${query({ search, zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}`);
