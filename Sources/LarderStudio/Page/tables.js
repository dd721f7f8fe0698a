// The list of tables. Names come first; the counts come when they are there.

import * as api from './api.js';
import { element, link } from './elements.js';
import { number } from './format.js';
import { address } from './place.js';

/** The kinds of tables in their order, with their headings. */
export const kinds = [
  ['model', 'Models'],
  ['documents', 'Collections'],
  ['table', 'Tables'],
  ['view', 'Views'],
  ['pairs', 'Pairs'],
];
const counts = new Map();

/** Shows the tables in the list. */
export function showTables(list, tables) {
  list.replaceChildren();
  for (const [kind, heading] of kinds) {
    const own = tables.filter((table) => table.kind === kind);
    if (own.length === 0) continue;
    list.append(element('h2', '', heading));
    const items = element('ul', '');
    for (const table of own) items.append(element('li', '', entry(table)));
    list.append(items);
  }
  if (tables.length === 0) list.append(element('p', 'soft', 'The file has no tables.'));
  countAll(tables);
}

function entry(table) {
  const count = element('span', 'count');
  const made = link(element('span', 'name', table.title), address({ table: table.name }), 'table-link');
  made.append(count);
  made.dataset.table = table.name;
  made.title = table.title;
  counts.set(table.name, count);
  return made;
}

/** Marks the table that is shown. */
export function markTable(list, name) {
  for (const entry of list.querySelectorAll('a')) {
    if (entry.dataset.table === name) entry.setAttribute('aria-current', 'page');
    else entry.removeAttribute('aria-current');
  }
}

export function showCount(name, count) {
  const shown = counts.get(name);
  if (shown) shown.textContent = number(count);
}

/** One after the other: a count of many rows must not keep others from being read. */
async function countAll(tables) {
  for (const table of tables) {
    try {
      showCount(table.name, (await api.count({ table: table.name })).count);
    } catch {
      counts.get(table.name).textContent = '–';
    }
  }
}
