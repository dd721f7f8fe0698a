// The filter as the address says it.

import { moment } from './text.js';

export const names = ['account', 'category', 'from', 'through', 'text'];

/** What the address asks for, as far as it makes sense: anyone can write an address. */
export function readFilter() {
  const isKey = (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
  const isDay = (text) => /^(19|[2-9]\d)\d\d-\d\d-\d\d$/.test(text) && new Date(moment(text) || 0).toISOString().startsWith(text);
  const isText = (text) => text.trim() !== '' && text.length <= 500;
  const makesSense = { account: isKey, category: (text) => text === 'none' || isKey(text), from: isDay, through: isDay, text: isText };
  const values = new URLSearchParams(location.search);
  return Object.fromEntries(names.map((name) => [name, makesSense[name](values.get(name) ?? '') ? values.get(name) : undefined]));
}
