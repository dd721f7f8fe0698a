// Names that complete the word which is being written.

import { element, newID } from './elements.js';

const shownNames = 8;
const words = ['select', 'from', 'where', 'group by', 'order by', 'limit', 'join', 'left join', 'distinct', 'having', 'count(*)', 'desc'];

/** A field with a list of names below it. Arrows choose one, Enter and Tab take it, Escape closes the list. */
export function completed(field, tables) {
  const names = [...new Set([...tables.map(({ name }) => name), ...tables.flatMap(({ properties }) => properties.map(({ name }) => name))])];
  const list = element('ul', 'completion');
  list.id = newID('names');
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Names');
  list.hidden = true;
  field.setAttribute('aria-autocomplete', 'list');
  field.setAttribute('aria-controls', list.id);
  let chosen = 0;

  const word = () => field.value.slice(0, field.selectionStart).match(/[\p{L}_][\p{L}\p{N}_]*$/u)?.[0] ?? '';

  function close() {
    list.hidden = true;
      field.removeAttribute('aria-activedescendant');
  }

  function mark() {
    [...list.children].forEach((item, position) => item.setAttribute('aria-selected', position === chosen));
    field.setAttribute('aria-activedescendant', list.children[chosen].id);
  }

  function take(text) {
    const name = words.includes(text) || /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
    field.setRangeText(name, field.selectionStart - word().length, field.selectionStart, 'end');
    field.dispatchEvent(new Event('input'));
    close();
    field.focus();
  }

  function look() {
    const start = word().toLowerCase();
    const found = start.length < 1 ? [] : [...names, ...words].filter((name) => name.toLowerCase().startsWith(start) && name.toLowerCase() !== start).slice(0, shownNames);
    if (found.length === 0) return close();
    chosen = 0;
    list.replaceChildren(...found.map((name) => {
      const item = element('li', '', name);
      item.id = newID('name');
      item.setAttribute('role', 'option');
      item.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        take(name);
      });
      return item;
    }));
    list.hidden = false;
    mark();
  }

  field.addEventListener('input', look);
  field.addEventListener('blur', close);
  field.addEventListener('keydown', (event) => {
    if (list.hidden || event.ctrlKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      chosen = (chosen + step + list.children.length) % list.children.length;
      mark();
    } else if (event.key === 'Enter' || event.key === 'Tab') {
      take(list.children[chosen].textContent);
    } else if (event.key === 'Escape') {
      close();
    } else {
      return;
    }
    event.preventDefault();
  });
  return element('div', 'completed', field, list);
}
