// Requests to the server, and what it says instead of doing them.

/** A response other than success. `field` or `fields` says what is wrong with which field, `answer` is all of its JSON. */
export class Refusal extends Error {
  constructor(status, answer) {
    const reason = answer?.error ?? answer;
    super(reason?.message ?? `The server answered ${status}.`);
    this.status = status;
    this.answer = answer;
    this.field = reason?.field;
    this.fields = reason?.fields ?? {};
  }

  get isUnreachable() { return this.status === 0; }
  get isGone() { return this.status === 404; }
  get isConflict() { return this.status === 412; }
}

export const unreachable = (message = 'The server does not answer.') => new Refusal(0, { message });

/**
 * Sends a request, and returns the JSON of the response or throws a `Refusal`. `json` or `body` is what is sent; `basedOn` is the version that
 * is to be changed; `keepalive` lets the request outlive its page; `silence` is what to tell the user if there is no response.
 */
export async function send(method, address, options) {
  return content(await respond(method, address, options));
}

/** Gets a file, and the tag that names this version of it. Throws a `Refusal` unless all of the file has come. */
export async function getFile(address) {
  const response = await respond('GET', address);
  try {
    return { file: await response.blob(), tag: response.headers.get('ETag') };
  } catch {
    throw unreachable();
  }
}

async function respond(method, address, { json, body, basedOn, keepalive, silence } = {}) {
  const headers = {};
  if (json !== undefined) headers['Content-Type'] = 'application/json';
  if (basedOn !== undefined) headers['If-Match'] = `"${basedOn}"`;
  let response;
  try {
    response = await fetch(address, { method, headers, body: json === undefined ? body : JSON.stringify(json), keepalive });
  } catch {
    throw unreachable(silence);
  }
  if (!response.ok) throw new Refusal(response.status, await content(response));
  return response;
}

const content = async (response) =>
  (response.headers.get('Content-Type')?.startsWith('application/json') ? response.json() : undefined);

/** Names and values for an address. The server takes "+" for itself and not for a space. */
export const query = (values) => Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
