// The page: which view is shown, and how its parts know of each other.

import * as api from './api.js';
import { work } from './changes.js';
import { element } from './elements.js';
import { Filter } from './filter.js';
import { Grid } from './grid.js';
import { watch } from './live.js';
import { quoted } from './names.js';
import { Pages } from './pages.js';
import { Panel } from './panel.js';
import { onMove, place, replace } from './place.js';
import { Diagram } from './diagram.js';
import { Schema } from './schema.js';
import { SQL } from './sql.js';
import { markTable, showCount, showTables } from './tables.js';

/** The time between two looks at whether the studio and its file are there, in milliseconds. */
const pause = 3000;
/** The views of the whole file. */
const views = ['schema', 'diagram', 'sql'];

const part = (name) => document.getElementById(name);

class Studio {
  constructor(store) {
    this.store = store;
    this.tables = store.tables;
    part('store-name').textContent = store.name;
    document.title = `${store.name} · Studio`;
    this.showHome(store.home);
    part('access').textContent = store.isWritable ? '' : 'read-only';
    part('access').hidden = store.isWritable;
    showTables(part('tables'), this.tables);
    this.panel = new Panel(part('panel'), { store, tables: this.tables });
    this.filter = new Filter(part('filter'), { store, tables: this.tables, insert: () => this.panel.insert(this.table), columnsChanged: () => this.grid.layOut() });
    this.grid = new Grid(part('grid'), {
      store,
      tables: this.tables,
      open: (key) => replace({ row: key }),
      sort: (name) => this.sortBy(name),
    });
    this.panel.closed = () => this.grid.markActive({ isFocused: true });
    this.schema = new Schema(part('schema'), { store, tables: this.tables });
    this.diagram = new Diagram(part('diagram'), { store, tables: this.tables });
    this.sql = new SQL(part('sql'), { store, tables: this.tables });
    part('show-tables').addEventListener('click', () => this.showScreen('tables'));
    // The table that was shown before has the address that is there already, which is no move.
    part('tables').addEventListener('click', (event) => { if (event.target.closest('a')?.hash === location.hash) this.showScreen('main'); });
    addEventListener('keydown', (event) => {
      const isTaken = event.defaultPrevented || event.target.closest?.('dialog, details');
      if (event.key === 'Escape' && !isTaken && !this.panel.aside.hidden) this.panel.close();
    });
    addEventListener('beforeunload', (event) => { if (this.panel.document.hasDrafts) event.preventDefault(); });
    setInterval(() => { if (!document.hidden) api.look(); }, pause);
    onMove((current) => this.show(current));
    work.onChange(() => {
      this.watch();
      this.refresh();
    });
  }

  /** The way back to the page that led here, if there is one. */
  showHome(home) {
    part('home').hidden = !home;
    if (!home) return;
    part('home').textContent = `‹ ${home.title}`;
    part('home').href = home.address;
  }

  show(current) {
    const table = this.tables.find(({ name }) => name === current.table);
    const view = views.includes(current.view) ? current.view : table ? 'browse' : '';
    for (const name of ['browse', ...views]) part(name).hidden = name !== view;
    part('welcome').hidden = view !== '';
    for (const name of views) part(`to-${name}`).setAttribute('aria-current', view === name ? 'page' : 'false');
    markTable(part('tables'), view === 'browse' ? table.name : undefined);
    this.showScreen(view ? 'main' : 'tables');
    if (view === 'browse') this.browse(table, current);
    else this.leave();
    if (view !== '' && view !== 'browse') this[view].show();
    this.watch();
  }

  /** A phone shows the tables or what was chosen of them. */
  showScreen(name) {
    document.body.dataset.screen = name;
  }

  leave() {
    this.panel.hide();
    this.pages?.close();
    this.pages = undefined;
    this.table = undefined;
    this.query = undefined;
  }

  browse(table, current) {
    const { where, search, sort, of, relationship, key, row } = current;
    const values = { table: table.name, where, search, of, relationship, key, sort: sort && (sort.startsWith('-') ? `-${quoted(sort.slice(1))}` : quoted(sort)) };
    this.filter.show(table, current);
    if (JSON.stringify(values) !== this.query) {
      this.query = JSON.stringify(values);
      this.table = table;
      const before = this.pages;
      before?.close();
      const pages = new Pages(values, { changed: () => this.rowsCame(pages), failed: (refusal) => this.filter.showError(refusal), before });
      this.pages = pages;
      this.filter.showError(undefined);
      this.filter.showCount(pages.count, pages.isCounted);
      this.grid.show(table, pages, sort);
      pages.start();
    }
    this.grid.select(row);
    if (row) this.panel.show(table, row);
    else this.panel.hide();
  }

  rowsCame(pages) {
    if (pages !== this.pages) return;
    this.filter.showError(undefined);
    this.filter.showCount(pages.count, pages.isCounted);
    const { where, search, relationship } = place();
    if (pages.isCounted && !where && !search && !relationship) showCount(this.table.name, pages.count);
    this.grid.draw();
  }

  sortBy(name) {
    const { sort } = place();
    const next = sort === name ? `-${name}` : sort === `-${name}` ? undefined : name;
    replace({ sort: next });
  }

  /** Reads again what is in view. */
  async refresh() {
    await Promise.all([this.pages?.refresh(), this.panel.aside.hidden ? undefined : this.panel.refresh()]);
  }

  /** Looks at what the program has done to the rows in view, and to those that are changed here. */
  async look() {
    if (!work.summary.hasChanges) return this.refresh();
    try {
      await work.look();
    } catch {
      await this.refresh();
    }
  }

  /** Watches the shown table, those whose rows the panel lists, and those with unsaved changes. */
  watch() {
    const related = this.table && place().row ? this.table.relationships.map(({ target }) => target) : [];
    const changed = work.summary.changes.map(({ table }) => table);
    const shown = this.table ? [this.table.name, ...related] : [];
    watch([...new Set([...shown, ...changed])].slice(0, 50), () => this.look());
  }
}

try {
  const studio = new Studio(await api.store());
  await work.start(part('work'), studio.tables);
  studio.show(place());
} catch (refusal) {
  part('welcome').replaceWith(element('p', 'welcome', refusal.message));
}
