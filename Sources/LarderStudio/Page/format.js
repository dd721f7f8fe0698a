// Values, the way people read them.

import { attachmentIn } from './attachments.js';
import { element } from './elements.js';

const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** "1.5 MB". */
export function size(bytes) {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

export const number = (value) => value.toLocaleString();

/** A date in ISO 8601 as the user's own time; the text itself if it is none. */
export function date(text) {
  const parsed = new Date(text);
  return Number.isNaN(parsed.getTime()) ? text : dateFormat.format(parsed);
}

/** The text of a cell, with "…" for what was cut; nil for no value. */
export function cellText(cell) {
  if (cell === null) return null;
  if (typeof cell === 'string') return cell;
  if (cell.bytes !== undefined) return cell.size > 16 ? size(cell.size) : hexadecimal(cell.bytes);
  return `${cell.text}…`;
}

/** The bytes of a Base64 text: "x'00ff'", as SQL writes them. */
const hexadecimal = (text) => `x'${[...atob(text)].map((character) => character.charCodeAt(0).toString(16).padStart(2, '0')).join('')}'`;

/** Whether values of a property stand at the right edge of their column. */
export const isNumeric = (property) => ['integer', 'float', 'double', 'decimal'].includes(property.type);

/** What shows a cell in one line. */
export function shown(cell, property) {
  if (cell === null) return element('span', 'nil', 'nil');
  const text = cellText(cell);
  if (typeof cell !== 'string') return element('span', cell.bytes === undefined ? '' : 'bytes code', text);
  if (text === '') return element('span', 'nil', '“”');
  if (property?.type === 'bool') return element('span', `bool is-${text}`, text);
  if (property?.type === 'date') return titled(date(text), text);
  if (property?.type === 'uuid') return titled(`${text.slice(0, 8)}…${text.slice(-4)}`, text, 'code');
  const attachment = property?.isAttachment && attachmentIn(text);
  if (attachment) return element('span', '', `${attachment.name ?? 'attachment'} · ${size(attachment.size)}`);
  if (property?.type === 'json') return element('span', 'code', text);
  return element('span', '', text);
}

function titled(text, title, className = '') {
  const made = element('span', className, text);
  made.title = title;
  return made;
}
