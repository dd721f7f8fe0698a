// Attachments: JSON that names bytes which the store keeps in files.

import * as api from './api.js';
import { button, element, link, say } from './elements.js';
import { size } from './format.js';

/** The attachment that a JSON text names, or null. */
export function attachmentIn(text) {
  try {
    const value = JSON.parse(text);
    return isAttachment(value) ? value : null;
  } catch {
    return null;
  }
}

const isAttachment = (value) => typeof value === 'object' && value !== null && typeof value['larder.attachment'] === 'string' && Number.isInteger(value.size);

/** All attachments within a JSON text, of which a list shows a few. */
export function attachmentsIn(text, limit = 20) {
  const found = [];
  function look(value) {
    if (found.length >= limit || typeof value !== 'object' || value === null) return;
    if (isAttachment(value)) found.push(value);
    else Object.values(value).forEach(look);
  }
  try {
    look(JSON.parse(text));
  } catch {
    // What isn't JSON names no attachment.
  }
  return found;
}

/** Name, size and type of an attachment, a link to its bytes, and the picture if it is one. */
export function card(attachment) {
  const source = api.attachmentAddress(JSON.stringify(attachment));
  const name = attachment.name ?? 'attachment';
  const download = link(name, source);
  download.download = name;
  const lines = element('div', 'attachment-lines', download, element('span', 'soft', [size(attachment.size), attachment.type].filter(Boolean).join(' · ')));
  const made = element('div', 'attachment', lines);
  if (/^image\/(png|jpeg|gif|webp)$/.test(attachment.type ?? '')) {
    const picture = element('img', 'attachment-picture');
    picture.alt = `Preview of ${name}`;
    picture.src = source;
    picture.addEventListener('error', () => picture.remove());
    made.prepend(picture);
  }
  return made;
}

/** The editor of a property that is an attachment. */
export function attachmentEditor(property, cell, commit) {
  const attachment = typeof cell === 'string' ? attachmentIn(cell) : null;
  const made = element('div', 'attachment-editor', attachment ? card(attachment) : element('span', 'nil', 'nil'));
  if (!commit) return made;
  const input = element('input', 'unseen');
  input.type = 'file';
  input.tabIndex = -1;
  input.setAttribute('aria-label', `File for ${property.name}`);
  input.addEventListener('change', async () => {
    const [file] = input.files;
    if (!file) return;
    try {
      commit((await api.attach(file)).json);
    } catch (refusal) {
      say(refusal.message, true);
    }
  });
  const actions = element('div', 'attachment-actions', input, button(attachment ? 'Replace…' : 'Choose a file…', 'small', () => input.click()));
  if (attachment && property.isOptional) actions.append(button('Remove', 'small', () => commit(null)));
  made.append(actions);
  return made;
}
