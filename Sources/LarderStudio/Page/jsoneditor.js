// The editor of JSON: its text, indented and checked while it is written, or its tree.

import { element, newID } from './elements.js';
import { indented, problem } from './json.js';
import { offerTree } from './jsontree.js';

/** A field for JSON. `commit` is called with the text if it was changed and is JSON; without it the field is only read. */
export function jsonEditor(text, label, commit) {
  const field = element('textarea', 'code json');
  const before = indented(text);
  field.value = before;
  field.rows = Math.min(24, Math.max(2, before.split('\n').length));
  field.spellcheck = false;
  field.readOnly = !commit;
  field.setAttribute('aria-label', label);
  const said = element('p', 'field-error');
  said.id = newID('json');
  said.hidden = true;
  const check = () => {
    const wrong = problem(field.value);
    said.textContent = wrong;
    said.hidden = !wrong;
    field.toggleAttribute('aria-invalid', Boolean(wrong));
    if (wrong) field.setAttribute('aria-describedby', said.id);
    else field.removeAttribute('aria-describedby');
    return !wrong;
  };
  field.addEventListener('input', check);
  field.addEventListener('keydown', (event) => indent(event, field));
  field.addEventListener('change', () => { if (check() && field.value !== before) commit?.(field.value); });
  const made = element('div', 'json-editor', field, said);
  offerTree(made, field, label);
  return made;
}

/** Enter keeps the indentation of the line. Tab leaves the field, as everywhere. */
function indent(event, field) {
  if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || field.readOnly) return;
  const start = field.value.slice(0, field.selectionStart);
  const line = start.slice(start.lastIndexOf('\n') + 1);
  const space = line.match(/^ */)[0] + (/[{[]\s*$/.test(line) ? '  ' : '');
  event.preventDefault();
  field.setRangeText(`\n${space}`, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new Event('input'));
}
