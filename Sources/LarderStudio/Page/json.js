// JSON that is edited as text: indented, and checked while it is written.

import { element, newID } from './elements.js';

/** JSON with two spaces for each level. Numbers stay as they are written: a script would round the long ones. */
export function indented(text) {
  let made = '';
  let depth = 0;
  let inText = false;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (inText) {
      made += character;
      if (character === '\\') made += text[(position += 1)] ?? '';
      else if (character === '"') inText = false;
    } else if (character === '"') {
      inText = true;
      made += character;
    } else if ('{['.includes(character)) {
      const close = character === '{' ? '}' : ']';
      const next = text.slice(position + 1).match(/^\s*/)[0].length + position + 1;
      if (text[next] === close) {
        made += character + close;
        position = next;
      } else {
        depth += 1;
        made += `${character}\n${'  '.repeat(depth)}`;
      }
    } else if ('}]'.includes(character)) {
      depth -= 1;
      made += `\n${'  '.repeat(Math.max(0, depth))}${character}`;
    } else if (character === ',') {
      made += `,\n${'  '.repeat(depth)}`;
    } else if (character === ':') {
      made += ': ';
    } else if (!/\s/.test(character)) {
      made += character;
    }
  }
  return made;
}

/** What is wrong with a text that should be JSON, or an empty text. */
export function problem(text) {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error.message.replace(/^JSON\.parse: /, '');
  }
}

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
  return element('div', 'json-editor', field, said);
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
