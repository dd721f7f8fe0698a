// Rows and documents that the program has changed since they were changed here: whose version stays is the user's to say.

import * as api from './api.js';
import { ask, button, element, newID } from './elements.js';
import { number, shown } from './format.js';
import { differences, problem } from './json.js';

/** The number of values that a document's conflict lists, and the length to which they are cut. */
const shownAtOnce = 20;
const longest = 120;

/** Asks about each row, and tells the studio. `done` is what the button is called that ends it. Returns whether everything was decided. */
export async function decide(conflicts, perform, done) {
  const choices = conflicts.map((conflict) => ({ conflict, isMine: true }));
  const parts = choices.map((choice) => question(choice));
  const answer = await ask('The program has changed the same rows', [element('p', 'soft', 'Choose whose values stay. What only one side has changed stays in any case.'), ...parts], [
    { label: 'Not now', value: '' },
    { label: done, value: 'decided', kind: 'primary' },
  ]);
  if (answer !== 'decided') return false;
  for (const { conflict, isMine } of choices) await perform(() => api.resolve(conflict, isMine));
  return true;
}

function question(choice) {
  const { conflict } = choice;
  const made = element('fieldset', 'conflict', element('legend', '', `${conflict.label} `, element('span', 'soft', conflict.title)), ...rowVersions(conflict));
  const name = newID('conflict');
  made.append(radio(name, 'Keep mine', true, () => { choice.isMine = true; }), radio(name, 'Take theirs', false, () => { choice.isMine = false; }));
  return made;
}

/** What each side has made of a row. */
function rowVersions({ isDeletedHere, isDeletedThere, differences }) {
  if (isDeletedHere) return [element('p', '', 'You have deleted the row; the program has changed it.')];
  if (isDeletedThere) return [element('p', '', 'The program has deleted the row, or it has expired.')];
  return [table(differences.map(({ property, before, after }) => versions(property, shown(after), shown(before))))];
}

/** What the program has done to a row that is changed here. `decide` is called with whether mine stays. */
export function rowConflict(conflict, decide) {
  const text = conflict.isDeletedThere
    ? 'The program has deleted this row, or it has expired. If you keep yours, saving stores it anew.'
    : 'The program has changed this row. If you keep yours, saving overwrites theirs.';
  return notice(text, conflict.isDeletedThere ? [] : [frame(...rowVersions(conflict))], decide);
}

/** What the program has done to a document whose text is being edited. */
export class DocumentConflict {
  /** `theirs` is the JSON that is stored now, null if the document is gone. `decide` is called with whether mine stays. */
  constructor(mine, theirs, decide) {
    this.title = theirs === null ? 'The program has deleted this document, or it has expired.' : 'The program has changed this document.';
    const outcome = theirs === null ? 'If you keep yours, saving stores it anew.' : 'If you keep yours, saving overwrites theirs.';
    this.theirs = theirs;
    this.list = frame();
    this.element = notice(`${this.title} ${outcome}`, theirs === null ? [] : [this.list], decide);
    this.show(mine);
  }

  /** Compares theirs with the text as it is now. A text that isn't JSON yet changes nothing. */
  show(mine) {
    if (this.theirs === null || problem(mine)) return;
    const found = differences(mine, this.theirs);
    const rows = found.slice(0, shownAtOnce).map(({ path, before, after }) => versions(path, value(before), value(after)));
    const rest = found.length - rows.length;
    const more = rest > 0 ? [element('p', 'soft', `${number(rest)} more`)] : [];
    this.list.replaceChildren(...(rows.length ? [table(rows)] : []), ...more);
  }
}

/** A conflict in the panel, with the buttons that decide it. */
function notice(text, parts, decide) {
  const actions = [['Keep mine', true], ['Take theirs', false]].map(([label, isMine]) => {
    const made = button(label, '', () => decide(isMine));
    made.dataset.path = label;
    return made;
  });
  const made = element('section', 'conflict-notice', element('p', '', text), element('p', 'conflict-actions', ...actions), ...parts);
  made.dataset.property = 'conflict';
  made.setAttribute('role', 'group');
  made.setAttribute('aria-label', 'Conflict');
  return made;
}

/** A part that scrolls if the values take more room than the panel has for them. */
function frame(...parts) {
  const made = element('div', 'versions-frame', ...parts);
  made.tabIndex = 0;
  made.setAttribute('role', 'region');
  made.setAttribute('aria-label', 'Values that differ');
  return made;
}

function value(text) {
  if (text === null) return element('span', 'nil', 'none');
  return element('span', 'code', text.length > longest ? `${text.slice(0, longest)}…` : text);
}

function table(rows) {
  return element('table', 'versions', element('thead', '', element('tr', '', column('Property'), column('Mine'), column('Theirs'))), element('tbody', '', ...rows));
}

const versions = (property, mine, theirs) => element('tr', '', headed(property), element('td', '', mine), element('td', '', theirs));

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
