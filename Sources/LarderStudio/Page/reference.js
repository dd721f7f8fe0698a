// The editor of a reference: the key of a row, which a list of the target's rows suggests.

import * as api from './api.js';
import { element, newID } from './elements.js';
import { cellText } from './format.js';

/** The number of rows that are suggested. */
const suggested = 100;

/** Gives a field for a key the rows of a table as suggestions. They are read when the field is first used. */
export function referenceEditor(input, target) {
  const own = target.properties.findIndex(({ isKey }) => isKey);
  const label = target.properties.findIndex(({ isKey, type, target: other }) => !isKey && !other && type === 'text');
  const list = element('datalist', '');
  list.id = newID('rows');
  input.setAttribute('list', list.id);
  input.addEventListener('focus', async () => {
    try {
      const { rows } = await api.rows({ table: target.name, limit: suggested });
      list.replaceChildren(...rows.map(({ cells }) => option(cells[own], label < 0 ? null : cells[label])));
    } catch {
      // Without suggestions the key is written by hand.
    }
  }, { once: true });
  return element('div', 'reference-editor', input, list);
}

function option(key, label) {
  const made = element('option', '', cellText(label) ?? '');
  made.value = cellText(key) ?? '';
  return made;
}
