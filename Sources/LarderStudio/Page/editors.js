// An editor for each type of property. Each returns an element and calls `commit` with the new text, or null for no value.

import { attachmentEditor, attachmentsIn, card } from './attachments.js';
import { button, element, say } from './elements.js';
import { cellText, size } from './format.js';
import { jsonEditor } from './jsoneditor.js';
import { referenceEditor } from './reference.js';

const noValue = '\u0000nil';

/** The editor of a property's value. Without `commit` the value is only shown. `tables` are those that references lead to. */
export function editor(property, cell, commit, tables = []) {
  if (cell !== null && typeof cell === 'object') return large(property, cell, commit);
  if (property.isAttachment) return attachmentEditor(property, cell, commit);
  if (!commit) return shownValue(property, cell);
  if (property.cases) return choice(property, cell, property.cases, commit);
  if (property.type === 'bool') return property.isOptional ? choice(property, cell, ['true', 'false'], commit) : check(property, cell, commit);
  if (property.type === 'data') return bytes(property, cell, commit);
  const target = tables.find(({ name }) => name === property.target);
  if (target) return withNil(property, cell, commit, referenceEditor(line(property, cell, commit), target));
  const makers = { date, json, integer: line, float: line, double: line, decimal: line, uuid: line };
  return withNil(property, cell, commit, (makers[property.type] ?? text)(property, cell, commit));
}

function shownValue(property, cell) {
  if (cell === null) return element('span', 'nil', 'nil');
  if (property.type === 'json') return json(property, cell);
  return element('div', `value${property.type === 'uuid' ? ' code' : ''}`, cell);
}

function large(property, cell, commit) {
  if (cell.bytes !== undefined) return bytes(property, cell, commit);
  const start = element('div', 'value', cellText({ ...cell, text: cell.text.slice(0, 2000) }));
  return element('div', '', start, element('p', 'soft', `${size(cell.size)}: too long to be edited here.`));
}

function line(property, cell, commit) {
  const input = element('input', ['text', 'any'].includes(property.type) ? '' : 'code');
  input.value = cell ?? '';
  input.inputMode = property.type === 'integer' ? 'numeric' : ['float', 'double', 'decimal'].includes(property.type) ? 'decimal' : 'text';
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.addEventListener('change', () => commit(input.value === '' && property.isOptional ? null : input.value));
  return input;
}

function text(property, cell, commit) {
  const field = element('textarea', '');
  field.value = cell ?? '';
  field.rows = Math.min(14, Math.max(1, Math.ceil(field.value.length / 44), field.value.split('\n').length));
  // The field knows line feeds alone; a text with other line ends keeps them.
  const ends = cell?.includes('\r\n') ? '\r\n' : '\n';
  field.addEventListener('change', () => commit(field.value.replaceAll('\n', ends)));
  return field;
}

/** Local time, as the browser's own field has it, with milliseconds. */
function date(property, cell, commit) {
  const input = element('input', 'code');
  const parsed = cell === null ? null : new Date(cell);
  const isShown = !parsed || (!Number.isNaN(parsed.getTime()) && parsed.getFullYear() > 0 && parsed.getFullYear() < 10_000);
  if (!isShown) return line(property, cell, commit);
  input.type = 'datetime-local';
  input.step = '0.001';
  if (parsed) input.value = localText(parsed);
  input.addEventListener('change', () => {
    if (input.value) commit(new Date(input.value).toISOString());
    else if (property.isOptional) commit(null);
  });
  return input;
}

function localText(date) {
  const pad = (number, digits = 2) => String(number).padStart(digits, '0');
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  return `${day}T${time}${date.getMilliseconds() ? `.${pad(date.getMilliseconds(), 3)}` : ''}`;
}

function json(property, cell, commit) {
  const made = jsonEditor(cell ?? '', property.name, commit);
  if (cell) made.append(...attachmentsIn(cell).map(card));
  return made;
}

function check(property, cell, commit) {
  const box = element('input', '');
  box.type = 'checkbox';
  box.checked = cell === 'true';
  box.addEventListener('change', () => commit(box.checked ? 'true' : 'false'));
  return box;
}

function choice(property, cell, cases, commit) {
  const menu = element('select', '');
  const known = cell === null || cases.includes(cell) ? cases : [cell, ...cases];
  if (property.isOptional || cell === null) menu.append(option('nil', noValue));
  for (const name of known) menu.append(option(name, name));
  menu.value = cell ?? noValue;
  menu.addEventListener('change', () => commit(menu.value === noValue ? null : menu.value));
  return menu;
}

function option(label, value) {
  const made = element('option', '', label);
  made.value = value;
  return made;
}

function bytes(property, cell, commit) {
  const made = element('div', 'bytes-editor');
  if (cell === null || cell === undefined) made.append(element('span', 'nil', 'nil'));
  else if (typeof cell === 'object') made.append(element('span', '', size(cell.size)), element('div', 'value code', hexadecimal(cell)));
  if (!commit) return made;
  const input = element('input', 'unseen');
  input.type = 'file';
  input.tabIndex = -1;
  input.setAttribute('aria-label', `File for ${property.name}`);
  input.addEventListener('change', async () => {
    const [file] = input.files;
    if (!file) return;
    if (file.size > 16_000_000) return say('Bytes in a column may have 16 MB here. Attachments can have more.', true);
    commit(base64(new Uint8Array(await file.arrayBuffer())));
  });
  made.append(element('div', 'attachment-actions', input, button('Choose a file…', 'small', () => input.click())));
  if (cell && property.isOptional) made.lastChild.append(button('Remove', 'small', () => commit(null)));
  return made;
}

function hexadecimal(cell) {
  const start = [...atob(cell.bytes.slice(0, 88))].slice(0, 64);
  const digits = start.map((character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
  return cell.size > 64 ? `${digits} …` : digits;
}

function base64(array) {
  let made = '';
  for (let start = 0; start < array.length; start += 32_768) made += String.fromCharCode(...array.subarray(start, start + 32_768));
  return btoa(made);
}

/** An editor with what tells no value from an empty one. */
function withNil(property, cell, commit, made) {
  const field = made.matches('input, textarea') ? made : made.querySelector('input, textarea');
  if (cell === null) field.placeholder = 'nil';
  if (!property.isOptional || cell === null) return made;
  const clear = button('nil', 'small clear', () => commit(null));
  clear.setAttribute('aria-label', `Set ${property.name} to nil`);
  return element('div', 'with-nil', made, clear);
}
