// Rows that the program has changed since they were changed here: whose version stays is the user's to say.

import * as api from './api.js';
import { ask, element, newID } from './elements.js';
import { shown } from './format.js';

/** Asks about each row, and tells the studio. Returns whether everything was decided. */
export async function decide({ conflicts }, perform) {
  const choices = conflicts.map((conflict) => ({ conflict, isMine: true }));
  const parts = choices.map((choice) => question(choice));
  const answer = await ask('The program has changed the same rows', [element('p', 'soft', 'Choose whose version of each row stays. If you keep yours, what only the program has changed stays too.'), ...parts], [
    { label: 'Not now', value: '' },
    { label: 'Save', value: 'save', kind: 'primary' },
  ]);
  if (answer !== 'save') return false;
  for (const { conflict, isMine } of choices) await perform(() => api.resolve(conflict.table, JSON.stringify(conflict.key), isMine));
  return true;
}

function question(choice) {
  const { conflict } = choice;
  const made = element('fieldset', 'conflict', element('legend', '', `${conflict.label} `, element('span', 'soft', conflict.title)));
  const rows = conflict.differences.map(({ property, before, after }) => element('tr', '', headed(property), element('td', '', shown(after)), element('td', '', shown(before))));
  if (conflict.isDeletedHere) made.append(element('p', '', 'You have deleted the row; the program has changed it.'));
  else if (conflict.isDeletedThere) made.append(element('p', '', 'The program has deleted the row.'));
  if (rows.length && !conflict.isDeletedHere && !conflict.isDeletedThere) {
    made.append(element('table', 'versions', element('thead', '', element('tr', '', column('Property'), column('Mine'), column('Theirs'))), element('tbody', '', ...rows)));
  }
  const name = newID('conflict');
  made.append(radio(name, 'Keep mine', true, () => { choice.isMine = true; }), radio(name, 'Take theirs', false, () => { choice.isMine = false; }));
  return made;
}

function headed(text) {
  const made = element('th', '', text);
  made.scope = 'row';
  return made;
}

function column(text) {
  const made = element('th', '', text);
  made.scope = 'col';
  return made;
}

function radio(name, label, isChecked, action) {
  const input = element('input', '');
  input.type = 'radio';
  input.name = name;
  input.checked = isChecked;
  input.addEventListener('change', action);
  return element('label', 'choice', input, label);
}
