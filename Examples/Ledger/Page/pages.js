// The costs that the page knows of a list that may be long, by their places in it. The others are asked for, a page at a time.

import * as api from './api.js';

/** The number of costs that the server sends at once. */
const length = 100;

export class CostPages {
  #costs = new Map();
  #filter = {};
  total = 0;

  /** Begins with the newest costs of a filter. */
  constructor(costs = [], total = 0, filter = {}) {
    this.total = total;
    this.#filter = filter;
    this.#keep(0, costs);
  }

  at(index) { return this.#costs.get(index); }

  /** The place of a cost that is known, or undefined. */
  placeOf(id) {
    for (const [index, cost] of this.#costs) if (cost.id === id) return index;
    return undefined;
  }

  /** Whether every cost from one place to another, which is not included, is known. */
  has(first, end) { return this.#missing(first, end) === undefined; }

  /** Asks for the first costs that are missing between two places. Returns false if the list is no longer the one that is known here. */
  async load(first, end) {
    const begin = this.#missing(first, end);
    if (begin === undefined) return true;
    let last = begin;
    while (last < end && !this.#costs.has(last)) last += 1;
    let known = begin - 1;
    while (known >= 0 && !this.#costs.has(known)) known -= 1;
    // On the way up the page ends where the known costs begin.
    const start = Math.max(known + 1, Math.min(begin, last - length));
    const page = await api.costs(this.#filter, this.#costs.get(known), start - known - 1);
    if (page.start !== start || page.total !== this.total || !page.costs.length) return false;
    this.#keep(start, page.costs);
    return true;
  }

  /** Asks for the costs after one of another state of the list. Returns the place of the first of them. */
  async loadAfter(cost) {
    const page = await api.costs(this.#filter, cost, 0);
    this.#keep(page.start, page.costs);
    return page.start;
  }

  #missing(first, end) {
    for (let index = Math.max(0, first); index < Math.min(end, this.total); index += 1) if (!this.#costs.has(index)) return index;
    return undefined;
  }

  #keep(start, costs) { costs.forEach((cost, index) => this.#costs.set(start + index, cost)); }
}
