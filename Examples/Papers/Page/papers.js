// The whole page: what is pasted goes to the server, and what the server says is shown.

import { toDate } from '/dates.js';
import { element } from '/elements.js';
import { query, send } from '/requests.js';
import { listen, stop } from '/updates.js';

const root = '/documents/api';
const at = (id) => document.getElementById(id);
const examples = {
  person: { id: 'ada', name: 'Ada', age: 36, languages: ['English', 'French'], address: { city: 'London' } },
  order: { id: 1001, customer: 'ada', total: 12.5, paid: true, lines: [{ product: 'Jar', count: 3 }] },
  several: [{ id: 'bo', name: 'Bo', age: 17 }, { id: 'cleo', name: 'Cleo', age: 69, born: '1957-03-02' }, { id: 'dan', name: 'Dan', vip: true }],
};

let sort = '';
let known = new Set();
let shownColumns = '';
let shownRows = new Map();

// MARK: Storing

at('paste').addEventListener('submit', async (event) => {
  event.preventDefault();
  const options = {};
  if (at('key').value.trim()) options.key = at('key').value.trim();
  if (at('seconds').value) options.seconds = at('seconds').value;
  const sent = { json: at('json').value, key: at('key').value };
  const answer = await ask('POST', `/documents?${query(options)}`, sent.json);
  showProblem(answer.message);
  if (answer.message) return at('json').focus();
  // What was typed meanwhile stays.
  for (const [name, value] of Object.entries(sent)) if (at(name).value === value) at(name).value = '';
});

at('json').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) at('paste').requestSubmit();
});

for (const button of document.querySelectorAll('[data-example]')) {
  button.addEventListener('click', () => {
    at('json').value = JSON.stringify(examples[button.dataset.example], undefined, 2);
    showProblem();
    at('json').focus();
  });
}

at('clear').addEventListener('click', async () => {
  if (at('clear').dataset.sure) {
    delete at('clear').dataset.sure;
    at('clear').textContent = 'Remove all';
    showProblem((await ask('DELETE', '/documents')).message);
  } else {
    at('clear').dataset.sure = 'asked';
    at('clear').textContent = 'Really remove all?';
  }
});
at('clear').addEventListener('blur', () => {
  delete at('clear').dataset.sure;
  at('clear').textContent = 'Remove all';
});

/** Answers with the server's JSON, or with the message that says what is wrong. */
async function ask(method, path, body) {
  try {
    return await send(method, root + path, { body, silence: 'The server does not answer. What you pasted is still here.' }) ?? {};
  } catch ({ message }) {
    return { message };
  }
}

function showProblem(message) {
  at('problem').hidden = !message;
  at('problem').textContent = message ?? '';
  at('json').ariaInvalid = String(Boolean(message));
}

// MARK: Showing

function follow() {
  const options = { sort };
  if (at('property').value && at('value').value.trim()) {
    Object.assign(options, { property: at('property').value, operator: at('operator').value, value: at('value').value.trim() });
  }
  listen(`${root}/events?${query(options)}`, 'listing', show);
}

function show({ properties, rows, total }) {
  const hasExpiry = rows.some((row) => row.expires !== undefined);
  showColumns(properties, hasExpiry);
  showProperties(properties);
  showRows(rows, properties, hasExpiry);
  at('table').hidden = rows.length === 0;
  at('empty').hidden = rows.length > 0;
  at('empty').textContent = total ? 'No document satisfies the filter.' : 'Nothing is stored yet. Paste an object, or try one of the examples.';
  at('count').textContent = rows.length === total ? `${total} ${total === 1 ? 'document' : 'documents'}` : `${rows.length} of ${total}`;
  at('clear').hidden = total === 0;
  tick();
}

// What did not change stays the same element: a click that is on its way, and what has the focus, are not lost when others store.

function showColumns(properties, hasExpiry) {
  const columns = JSON.stringify([properties, hasExpiry, sort]);
  if (columns === shownColumns) return;
  shownColumns = columns;
  const [sorted, direction] = sort.endsWith(' desc') ? [sort.slice(0, -5), 'descending'] : [sort, 'ascending'];
  const headers = ['key', ...properties].map((name) => {
    const header = element('th', known.size && !known.has(name) ? 'new' : '');
    header.scope = 'col';
    header.ariaSort = sorted === quoted(name) ? direction : 'none';
    const button = element('button', '', name);
    button.type = 'button';
    button.addEventListener('click', () => {
      sort = { [quoted(name)]: `${quoted(name)} desc`, [`${quoted(name)} desc`]: '' }[sort] ?? quoted(name);
      follow();
    });
    header.append(button);
    return header;
  });
  if (hasExpiry) headers.splice(1, 0, plainHeader('leaves'));
  headers.push(plainHeader(''));
  known = new Set(['key', ...properties]);
  const focused = at('columns').contains(document.activeElement) ? document.activeElement.textContent : undefined;
  at('columns').replaceChildren(...headers);
  if (focused) headers.find((header) => header.textContent === focused)?.querySelector('button')?.focus();
}

function showRows(rows, properties, hasExpiry) {
  const made = new Map();
  for (const row of rows) {
    const content = JSON.stringify([row.key, row.values, row.expires, properties, hasExpiry]);
    made.set(content, shownRows.get(content) ?? tableRow(row, properties, hasExpiry));
  }
  const wanted = [...made.values()];
  const kept = new Set(wanted);
  for (const old of [...at('rows').children]) if (!kept.has(old)) old.remove();
  wanted.forEach((row, index) => {
    const current = at('rows').children[index];
    if (current !== row) at('rows').insertBefore(row, current ?? null);
  });
  shownRows = made;
}

function plainHeader(text) {
  const header = element('th', 'plain');
  header.append(element('button', '', text));
  header.firstChild.disabled = true;
  if (!text) header.replaceChildren(element('span', 'unseen', 'Actions'));
  return header;
}

/** A name in quotation marks may have commas and spaces. */
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

function showProperties(properties) {
  const chosen = at('property').value;
  const names = ['key', ...properties];
  if ([...at('property').options].slice(1).map((option) => option.value).join('\n') === names.join('\n')) return;
  at('property').replaceChildren(new Option('All documents', ''), ...names.map((name) => new Option(name, name)));
  at('property').value = names.includes(chosen) ? chosen : '';
}

function tableRow({ key, values, expires }, properties, hasExpiry) {
  const row = element('tr');
  row.dataset.key = key;
  row.append(element('td', 'key', key));
  const found = Object.assign({}, ...values);
  if (hasExpiry) {
    const cell = element('td', expires === undefined ? 'absent' : 'leaves', expires === undefined ? '–' : '');
    if (expires !== undefined) cell.dataset.time = toDate(expires).getTime();
    row.append(cell);
  }
  for (const name of properties) row.append(cell(found[name]));
  const remove = element('button', '', '×');
  remove.type = 'button';
  remove.ariaLabel = `Remove ${key}`;
  remove.addEventListener('click', async () => showProblem((await ask('DELETE', `/documents?${query({ key })}`)).message));
  const last = element('td', 'remove');
  last.append(remove);
  row.append(last);
  return row;
}

function cell(json) {
  if (json === undefined) return element('td', 'absent', '–');
  const isText = json.startsWith('"');
  const made = element('td', /^-?\d/.test(json) ? 'number' : '', isText ? JSON.parse(json) : json);
  made.title = made.textContent;
  return made;
}

function tick() {
  for (const cell of document.querySelectorAll('td[data-time]')) {
    const seconds = Math.max(0, Math.ceil((cell.dataset.time - Date.now()) / 1000));
    cell.textContent = seconds < 120 ? `in ${seconds} s` : `in ${Math.round(seconds / 60)} min`;
  }
}
setInterval(tick, 500);

let typing;
for (const id of ['property', 'operator', 'value']) {
  at(id).addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(follow, 150);
  });
}
at('filter').addEventListener('submit', (event) => event.preventDefault());
addEventListener('pagehide', stop);
addEventListener('pageshow', (event) => { if (event.persisted) follow(); });

follow();
