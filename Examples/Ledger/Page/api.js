// What the page asks of the server. Every function answers with the server's JSON or throws a `Refusal`.

import { Refusal, send, unreachable } from '/requests.js';

const root = '/ledger/api';

/** `kind` is `accounts`, `categories` or `costs`; `basedOn` is the content as the page knew it when the change was begun. */
export const create = (kind, content) => send('POST', `${root}/${kind}`, { json: content });
export const change = (kind, id, content, basedOn) => send('PUT', `${root}/${kind}/${id}`, { json: { content, basedOn } });
export const remove = (kind, id, costs) => send('DELETE', `${root}/${kind}/${id}${costs === undefined ? '' : `?costs=${costs}`}`);

/** A page of the costs that a filter lets through: those after a cost and so many more; without one, from the newest on. */
export const costs = (filter, after, skipped) =>
  send('GET', `${root}/costs?${query({ ...filter, after: after && `${after.date}~${after.id}`, skip: skipped })}`);

/** A cost as it is now. */
export const cost = (id) => send('GET', `${root}/costs/${id}`);

/** How many costs go, or lose their category, along with an account or a category. */
export const deletion = (kind, id) => send('GET', `${root}/${kind}/${id}/deletion`);

export const undo = () => send('POST', `${root}/undo`);
export const redo = () => send('POST', `${root}/redo`);

// For the server a plus is a plus, and not the space that URLSearchParams writes so.
const query = (values) =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value)).toString().replaceAll('+', '%20');

/** Where what the page shows is, as it is and as it becomes. */
export const eventsAddress = (filter) => `${root}/events?${query(filter)}`;

export const exportAddress = (filter) => `${root}/export?${query(filter)}`;

/** Sends a file. `uploaded` is told the part that is on its way, `line` every line of the answer as it comes. */
function upload(path, file, { uploaded, line, signal }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let read = 0;
    const readLines = () => {
      const end = request.responseText.lastIndexOf('\n') + 1;
      for (const text of request.responseText.slice(read, end).split('\n')) if (text) line?.(JSON.parse(text));
      read = Math.max(read, end);
    };
    request.upload.addEventListener('progress', (event) => { if (event.lengthComputable) uploaded(event.loaded / event.total); });
    request.addEventListener('progress', () => { if (line && request.status === 200) readLines(); });
    request.addEventListener('error', () => reject(unreachable()));
    request.addEventListener('abort', () => reject(new Refusal(0, { message: 'Cancelled.' })));
    request.addEventListener('load', () => {
      if (request.status !== 200) {
        let answer;
        try { answer = JSON.parse(request.responseText); } catch { answer = undefined; }
        return reject(new Refusal(request.status, answer));
      }
      if (line) readLines();
      resolve(line ? undefined : JSON.parse(request.responseText));
    });
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', root + path);
    request.send(file);
  });
}

export const previewImport = (file, options) => upload('/import/preview', file, options);
/** `includesKnown` says whether costs that are already there are saved once more. */
export const runImport = (file, includesKnown, options) =>
  upload(`/import?${query({ name: file.name, known: includesKnown && 'include' })}`, file, options);

/** Takes over what another ledger has written in its sync file. Answers with the number of rows that have changed, and the accounts that wait. */
export const readSyncFile = (file) => send('POST', `${root}/sync`, { body: file });
