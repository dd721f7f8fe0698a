// Before a row is deleted: what the delete rules would do.

import * as api from './api.js';
import { ask, element } from './elements.js';
import { number } from './format.js';

/** Asks whether the row is to be deleted. */
export async function confirmDeletion(table, key, label, tables) {
  const title = (name) => tables.find((own) => own.name === name)?.title ?? name;
  const rows = (count) => `${number(count)} ${count === 1 ? 'row' : 'rows'}`;
  const parts = [];
  let isDenied = false;
  if (table.kind === 'documents') {
    parts.push(element('p', '', 'The document is deleted at once. Undo brings it back, as long as the page says so.'));
  } else {
    const { deleted, cleared, denied, isComplete } = await api.deletion(table.name, key);
    const others = deleted.map((part) => ({ ...part, count: part.table === table.name ? part.count - 1 : part.count })).filter(({ count }) => count > 0);
    isDenied = denied.length > 0;
    parts.push(...list('These rows forbid it:', denied.map((part) => `${rows(part.count)} of ${title(part.table)}, whose ${part.property} refers to it`)));
    if (!isDenied) {
      parts.push(...list('Deleted with it:', others.map((part) => `${rows(part.count)} of ${title(part.table)}`)));
      parts.push(...list('Left without a reference:', cleared.map((part) => `${rows(part.count)} of ${title(part.table)}, property ${part.property}`)));
      if (others.length + cleared.length === 0) parts.push(element('p', 'soft', 'No other row is concerned.'));
    }
    if (!isComplete) parts.push(element('p', 'soft', 'There are more rows than were counted.'));
  }
  const actions = isDenied
    ? [{ label: 'Close', value: '' }]
    : [{ label: 'Keep', value: '' }, { label: 'Delete', value: 'delete', kind: 'danger' }];
  return (await ask(`${isDenied ? 'Cannot delete' : 'Delete'} “${label}”${isDenied ? '' : '?'}`, parts, actions)) === 'delete';
}

function list(heading, lines) {
  if (lines.length === 0) return [];
  return [element('p', '', heading), element('ul', 'bulleted', ...lines.map((line) => element('li', '', line)))];
}
