// The columns of a grid: which of them are shown, and how wide.

import { closeOutside, element, newID } from './elements.js';
import { cellText } from './format.js';

const widths = { bool: 72, uuid: 132, date: 190, data: 96 };

const storageName = (store, table) => `hidden:${store}:${table}`;

/** The names of the columns that the user has hidden. */
export function hiddenColumns(store, table) {
  try {
    return new Set(JSON.parse(localStorage.getItem(storageName(store, table)) ?? '[]'));
  } catch {
    return new Set();
  }
}

/** The width of a column in pixels, by its name and its first values. */
export function columnWidth(property, position, rows) {
  const name = property.name.length * 7.6 + 42;
  const fixed = widths[property.type];
  if (fixed) return Math.max(fixed, Math.min(name, 260));
  const longest = rows.reduce((length, row) => Math.max(length, cellText(row.cells[position])?.length ?? 3), 3);
  return Math.round(Math.min(Math.max(name, longest * 7.4 + 26), 340));
}

/** A menu in which columns are hidden and shown again. */
export function columnMenu(store, table, changed) {
  const hidden = hiddenColumns(store, table.name);
  const list = element('fieldset', 'menu-list', element('legend', 'unseen', 'Columns'));
  for (const property of table.properties) {
    const box = element('input', '');
    box.type = 'checkbox';
    box.checked = !hidden.has(property.name);
    box.id = newID('column');
    box.addEventListener('change', () => {
      if (box.checked) hidden.delete(property.name);
      else hidden.add(property.name);
      localStorage.setItem(storageName(store, table.name), JSON.stringify([...hidden]));
      changed();
    });
    const label = element('label', '', property.name);
    label.htmlFor = box.id;
    list.append(element('div', 'menu-item', box, label));
  }
  const menu = element('details', 'menu', element('summary', 'button', 'Columns'), list);
  closeOutside(menu);
  return menu;
}
