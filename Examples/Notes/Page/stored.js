// The panel that shows the row exactly as Larder keeps it.

import { element } from '/elements.js';
import * as api from './api.js';
import { draft } from './row.js';

const toggle = document.getElementById('stored-toggle');
const content = document.getElementById('stored-content');

export class StoredPanel {
  #id;

  constructor() {
    toggle.addEventListener('click', () => {
      const open = toggle.ariaExpanded !== 'true';
      toggle.ariaExpanded = String(open);
      content.hidden = !open;
      this.#load();
    });
  }

  /** Shows the row of the note `id`. A draft is stored nowhere. */
  show(id) {
    this.#id = id;
    this.#load();
  }

  async #load() {
    if (content.hidden) return;
    const id = this.#id;
    if (!id || id === draft) {
      content.replaceChildren(element('p', 'stored-none', 'Nothing yet: the note is written to the file once it has a title and a text.'));
      return;
    }
    try {
      const stored = await api.storedRow(id);
      if (id === this.#id) content.replaceChildren(...this.#render(stored));
    } catch (refusal) {
      if (id === this.#id) content.replaceChildren(element('p', 'stored-none', refusal.message));
    }
  }

  #render({ file, table, columns, files }) {
    const lines = columns.map(({ name, storage, value }) => {
      const line = element('tr', '', element('th', '', name), element('td', 'stored-class', storage), element('td', 'stored-value', value));
      line.firstElementChild.scope = 'row';
      return line;
    });
    const heading = element('tr', '', element('th', '', 'Column'), element('th', '', 'Kept as'), element('th', '', 'Value'));
    for (const cell of heading.children) cell.scope = 'col';
    const rowTable = element('table', 'stored-row', element('thead', '', heading), element('tbody', '', ...lines));
    const caption = element('p', 'stored-caption', 'One row of table ', element('code', '', table), ' in ', element('code', '', file));
    const parts = [caption, rowTable];
    if (files.length) {
      const names = files.flatMap(({ name, bytes }) => [element('li', '', element('code', '', name), ` ${bytes.toLocaleString()} bytes`)]);
      parts.push(element('p', 'stored-caption', 'The pictures’ bytes are files beside it, in ', element('code', '', `${file}.attachments`), ':'), element('ul', 'stored-files', ...names));
    }
    return parts;
  }
}
