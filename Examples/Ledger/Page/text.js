// Amounts and dates, the way people read them.

const formats = new Map();

/** "€1,234.50". The amount is a text and stays exact, however long it is. */
export function money(amount, currency) {
  if (!formats.has(currency)) formats.set(currency, new Intl.NumberFormat(undefined, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' }));
  return formats.get(currency).format(amount).replace('-', '−');
}

/** Whether money goes out: nothing is neither. */
export const sign = (amount) => (Number(amount) === 0 ? 0 : amount.startsWith('-') ? -1 : 1);

const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const monthOfYear = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });

/** Milliseconds of a day like "2026-11-21"; only for distances between days. */
export const moment = (day) => Date.parse(`${day}T00:00:00Z`);

export const longDay = (day) => dayOfYear.format(moment(day));
export const dayAt = (milliseconds) => dayOfYear.format(milliseconds);
export const monthAt = (milliseconds) => monthOfYear.format(milliseconds);

/** Today where the reader is, as the server writes days. */
export function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((number) => String(number).padStart(2, '0')).join('-');
}

const numbers = new Intl.NumberFormat();

/** "1 cost", "12,345 costs". */
export const counted = (count, one, many) => `${numbers.format(count)} ${count === 1 ? one : many}`;
export const costs = (count) => counted(count, 'cost', 'costs');
