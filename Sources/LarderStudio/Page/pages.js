// Rows of a query, read in pages as they come into view.

import * as api from './api.js';

const pageSize = 100;
/** The number of pages that are kept. */
const keptPages = 40;

const selection = ({ sort, ...values }) => JSON.stringify(values);

/**
 * The rows of a query. `changed` is called when rows or their number have come, `failed` with a refusal. If `before` are the same rows in another
 * order, their number is known at once.
 */
export class Pages {
  constructor(values, { changed, failed, before }) {
    this.values = values;
    this.changed = changed;
    this.failed = failed;
    this.pages = new Map();
    this.loading = new Map();
    /** The promises of the pages that are being read. */
    this.coming = new Map();
    /** The number of rows; before it is known, of those that are. */
    this.count = 0;
    this.isCounted = false;
    this.isClosed = false;
    if (before?.isCounted && selection(before.values) === selection(values)) this.setCount(before.count);
  }

  /** The row at a position, or undefined if it isn't there yet. */
  row(index) {
    return this.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  }

  /** Reads the rows of a range that are not there, and forgets what is far from it. */
  need(first, last) {
    this.first = first;
    this.last = last;
    const from = Math.floor(Math.max(0, first) / pageSize);
    const to = Math.floor(Math.max(0, last - 1) / pageSize);
    for (const [page, controller] of this.loading) {
      if (page < from || page > to) controller.abort();
    }
    for (let page = from; page <= to; page += 1) {
      if (!this.pages.has(page) && !this.loading.has(page)) this.load(page);
    }
    for (const page of [...this.pages.keys()]) {
      if (this.pages.size > keptPages && (page < from - 2 || page > to + 2)) this.pages.delete(page);
    }
  }

  /** Reads the first page and the number of rows. */
  async start() {
    this.countRows();
    await this.load(0);
  }

  /** Reads again what is in view, and the number of rows. The rows stay until the new ones are there. */
  async refresh() {
    const from = Math.floor((this.first ?? 0) / pageSize);
    const to = Math.floor(Math.max(0, (this.last ?? 1) - 1) / pageSize);
    for (const page of [...this.pages.keys()]) {
      if (page < from || page > to) this.pages.delete(page);
    }
    const pages = Array.from({ length: to - from + 1 }, (_, position) => from + position);
    await Promise.all([this.countRows(), ...pages.map((page) => this.load(page, { isFresh: true }))]);
  }

  close() {
    this.isClosed = true;
    for (const controller of this.loading.values()) controller.abort();
    this.counting?.abort();
  }

  load(page, { isFresh = false } = {}) {
    this.loading.get(page)?.abort();
    const controller = new AbortController();
    this.loading.set(page, controller);
    const before = isFresh ? undefined : this.coming.get(page - 1);
    const coming = this.read(page, controller, { isFresh, before }).finally(() => {
      if (this.coming.get(page) === coming) this.coming.delete(page);
    });
    this.coming.set(page, coming);
    return coming;
  }

  async read(page, controller, { isFresh, before }) {
    // After the row before, a page takes the same time wherever it is, so the page with that row comes first. The number stands for a row that has gone.
    await before;
    if (this.isClosed || this.loading.get(page) !== controller) return;
    const previous = isFresh ? undefined : this.pages.get(page - 1)?.[pageSize - 1]?.key;
    const values = { ...this.values, limit: pageSize, offset: page * pageSize, after: api.keyText(previous), total: this.isCounted ? this.count : undefined };
    try {
      const { rows } = await api.rows(values, controller.signal);
      if (this.isClosed || this.loading.get(page) !== controller) return;
      this.loading.delete(page);
      this.pages.set(page, rows);
      const known = page * pageSize + rows.length;
      if (!this.isCounted && known > this.count) this.count = known;
      if (rows.length < pageSize && (rows.length > 0 || page === 0)) this.setCount(known);
      this.changed();
    } catch (error) {
      if (this.loading.get(page) === controller) this.loading.delete(page);
      if (error.name !== 'AbortError' && !this.isClosed) this.failed(error);
    }
  }

  async countRows() {
    this.counting?.abort();
    const controller = new AbortController();
    this.counting = controller;
    try {
      const { count } = await api.count(this.values, controller.signal);
      if (this.isClosed || this.counting !== controller) return;
      this.setCount(count);
      this.changed();
    } catch {
      // The rows themselves say what is wrong with the query.
    }
  }

  setCount(count) {
    this.count = count;
    this.isCounted = true;
  }
}
