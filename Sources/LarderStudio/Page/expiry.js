// When a row expires.

import { editor } from './editors.js';
import { element, newID } from './elements.js';
import { date } from './format.js';

/** Shows when a row expires. With `commit`, the date can be set and removed. */
export function expiryEditor(expires, commit) {
  const property = { name: 'expires', type: 'date', swiftType: 'Date?', isOptional: true };
  const made = editor(property, expires ?? null, commit);
  const control = made.matches('input') ? made : made.querySelector('input');
  const label = element(control ? 'label' : 'span', 'field-name', 'Expires');
  if (control) {
    control.id = newID('expiry');
    label.htmlFor = control.id;
  }
  const note = element('p', 'soft', expires ? `Gone after ${date(expires)}.` : 'The row stays.');
  const field = element('div', 'field', element('div', 'field-head', label), made, note);
  field.dataset.property = 'expires';
  const error = element('p', 'field-error');
  error.hidden = true;
  error.setAttribute('role', 'alert');
  field.append(error);
  return field;
}
