// What the page asks of the studio. Every function returns the JSON of the response or throws a `Refusal`.

/** A response other than success. */
export class Refusal extends Error {
  constructor(status, answer) {
    super(answer?.message ?? `The studio answered ${status}.`);
    this.status = status;
    this.position = answer?.position;
    this.model = answer?.model;
    this.property = answer?.property;
    this.conflicts = answer?.conflicts;
  }
}

/** The window's name: it stays when the page is loaded again, and so do unsaved changes. */
function windowName() {
  const kept = sessionStorage.getItem('session');
  if (kept) return kept;
  const name = crypto.randomUUID();
  sessionStorage.setItem('session', name);
  return name;
}

export const session = windowName();

/** Names and values for an address. What has no value is left out. */
export function query(values) {
  const pairs = Object.entries({ ...values, session }).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/** Says at the head of the page what is wrong; nothing with an empty text. */
function showConnection(text) {
  const connection = document.getElementById('connection');
  connection.textContent = text;
  connection.hidden = !text;
}

async function send(method, path, { values = {}, json, body, signal, limitHeader } = {}) {
  const headers = json === undefined ? {} : { 'Content-Type': 'application/json' };
  let response;
  try {
    response = await fetch(`api/${path}?${query(values)}`, { method, headers, signal, body: json === undefined ? body : JSON.stringify(json) });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    showConnection('The studio does not answer.');
    throw new Refusal(0, { message: 'The studio does not answer.' });
  }
  const isJSON = response.headers.get('Content-Type')?.startsWith('application/json');
  const refusal = response.ok ? undefined : new Refusal(response.status, isJSON ? await response.json() : undefined);
  // The file isn't there any more.
  showConnection(refusal?.status === 410 ? refusal.message : '');
  if (refusal) throw refusal;
  if (limitHeader) return { text: await response.text(), limit: response.headers.get(limitHeader) };
  return isJSON ? response.json() : response.text();
}

const get = (path, values, signal) => send('GET', path, { values, signal });
const post = (path, json, signal) => send('POST', path, { json, signal });

/** Looks whether the studio answers and its file is there, and says at the head of the page if it isn't so. */
export async function look() {
  try {
    await get('file');
  } catch {
    // It was said.
  }
}

export const store = () => get('store');
export const pending = () => get('pending');
export const rows = (values, signal) => get('rows', values, signal);
export const count = (values, signal) => get('count', values, signal);
export const row = (table, key) => get('row', { table, key });
export const deletion = (table, key) => get('deletion', { table, key });
export const documentContent = (table, key) => get('document', { table, key });
export const changes = () => get('changes');

export const insert = (table, values, expires) => post('insert', { table, values, expires });
export const update = (table, key, values) => post('update', { table, key: JSON.parse(key), values });
export const remove = (table, key) => post('delete', { table, key: JSON.parse(key) });
export const setExpiry = (table, key, expires) => post('expiry', { table, key: JSON.parse(key), expires });
/**
 * Documents are written at once. `before` and `after` have their JSON and when they expire: what the page shows and what it becomes, null for
 * none.
 */
export const changeDocument = (table, key, before, after) => post('document', { table, key, before: version(before), after: version(after) });
const version = (content) => content && { json: content.json, expires: content.expires };
/** Decides about a conflict, if the store still has the version of the row that the user has seen. */
export const resolve = ({ table, key, version }, keepsMine) => post('resolve', { table, key, version, keepsMine });
/** What lost against a write of another replica is written again, or forgotten, in the file at once. */
export const decideConflict = (table, key, conflict, restores) => post('conflict', { table, key: JSON.parse(key), conflict, restores });
export const undo = () => post('undo', {});
export const redo = () => post('redo', {});
export const save = () => post('save', {});
export const discard = () => post('discard', {});

export const sql = (text, writes, signal) => post('sql', { sql: text, writes }, signal);
export const plan = (text, signal) => post('sql/plan', { sql: text, writes: false }, signal);
/** The text of a file of rows, and their number if there are more that it lacks. */
export const csv = (text, signal) => send('POST', 'sql/csv', { json: { sql: text, writes: false }, signal, limitHeader: 'Studio-Row-Limit' });

/** Stores a file's bytes, and returns the JSON by which a value names them. */
export const attach = (file) => send('POST', 'attachment', { values: { name: file.name, type: file.type }, body: file });
export const attachmentAddress = (json) => `api/attachment?${query({ json })}`;
export const eventsAddress = (tables) => `api/events?${query({})}${tables.map((table) => `&table=${encodeURIComponent(table)}`).join('')}`;

/** A key as the page keeps it: its JSON, which is compared and put into addresses. */
export const keyText = (key) => (key ? JSON.stringify(key) : undefined);
