// A condition that is put together from a property, a comparison and a value, and joined to the one that is written.

import { button, closeOutside, element, newID } from './elements.js';
import { quoted } from './names.js';

const equality = [['is', '=='], ['is not', '!=']];
const order = [...equality, ['is less than', '<'], ['is at most', '<='], ['is greater than', '>'], ['is at least', '>=']];
const dates = [['is after', '>'], ['is at or after', '>='], ['is before', '<'], ['is at or before', '<='], ...equality];
const texts = [['contains', 'contains'], ['begins with', 'hasPrefix'], ['ends with', 'hasSuffix'], ...order];
const comparisons = { text: texts, integer: order, float: order, double: order, decimal: order, date: dates, bool: equality, uuid: equality, any: order };
const presence = [['has no value', 'is nil'], ['has a value', 'is not nil']];
const numbers = ['integer', 'float', 'double', 'decimal'];

/** A menu that makes a condition for the rows of a table, and calls `add` with its text. */
export function conditionMenu(table, add) {
  const property = choice('Property', table.properties.map(({ name }) => [name, name]));
  const comparison = choice('Comparison', []);
  const place = element('div', '');
  const error = element('p', 'field-error');
  error.setAttribute('role', 'alert');
  error.hidden = true;
  const menu = element('details', 'menu', element('summary', 'button', 'Add condition'));
  const chosen = () => table.properties.find(({ name }) => name === property.value);
  const asksForValue = () => !comparison.value.startsWith('is ');
  let value;

  function chooseComparison() {
    place.hidden = !asksForValue();
    error.hidden = true;
  }
  function chooseProperty() {
    const { type, cases, isOptional, target } = chosen();
    const own = cases || target ? equality : comparisons[type] ?? [];
    comparison.replaceChildren(...options([...own, ...(isOptional || own.length === 0 ? presence : [])]));
    value = valueControl(chosen());
    place.replaceChildren(value);
    chooseComparison();
  }
  property.addEventListener('change', chooseProperty);
  comparison.addEventListener('change', chooseComparison);

  const form = element('form', 'menu-list builder', property, comparison, place, error, button('Add', 'primary', () => form.requestSubmit()));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const name = quoted(property.value);
    if (!asksForValue()) return finish(`${name} ${comparison.value}`);
    const literal = literalText(chosen(), value.value);
    error.textContent = literal === null ? 'Write a number.' : 'Give a value.';
    error.hidden = Boolean(literal);
    if (literal) finish(`${name} ${comparison.value} ${literal}`);
  });
  function finish(text) {
    menu.open = false;
    add(text);
  }
  chooseProperty();
  menu.append(form);
  closeOutside(menu);
  return menu;
}

/** Joins two conditions: rows satisfy both. */
export function both(first, second) {
  if (!first.trim()) return second;
  return /\bor\b|\|\|/i.test(first) ? `(${first}) and ${second}` : `${first} and ${second}`;
}

function choice(label, values) {
  const made = element('select', '', ...options(values));
  made.id = newID('choice');
  made.setAttribute('aria-label', label);
  return made;
}

function options(values) {
  return values.map(([label, value]) => {
    const made = element('option', '', label);
    made.value = value;
    return made;
  });
}

function valueControl({ type, cases }) {
  if (cases) return choice('Value', cases.map((name) => [name, name]));
  if (type === 'bool') return choice('Value', [['true', 'true'], ['false', 'false']]);
  const made = element('input', '');
  made.setAttribute('aria-label', 'Value');
  made.autocomplete = 'off';
  if (type === 'date') {
    made.type = 'datetime-local';
    made.step = '0.001';
  }
  if (numbers.includes(type)) made.inputMode = type === 'integer' ? 'numeric' : 'decimal';
  return made;
}

/** A value as a condition has it; null for what should be a number and is none, and an empty text for no value. */
function literalText({ type, cases }, text) {
  if (cases) return textLiteral(text);
  if (type === 'bool') return text;
  if (type === 'date') return text && new Date(text).toISOString();
  const isNumber = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text.trim());
  if (numbers.includes(type) || (type === 'any' && isNumber)) return isNumber ? text.trim() : text && null;
  return textLiteral(text);
}

const textLiteral = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
