// Dates and texts, the way people read them.

/** Larder keeps a date as seconds since 2001-01-01 UTC, and so does the server's JSON. */
const toDate = (seconds) => new Date((seconds + 978_307_200) * 1000);

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** "14:03" for today, "3 Nov" for this year, "3 Nov 2024" before that. */
export function shortDate(seconds) {
  const date = toDate(seconds);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return clock.format(date);
  return (date.getFullYear() === now.getFullYear() ? day : dayOfYear).format(date);
}

export const longDate = (seconds) => whole.format(toDate(seconds));

/** An element with the given class and text. Text is always text here: nothing in this page parses HTML. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** The text as nodes, with every word that begins with a word of the search marked. */
export function marked(text, search) {
  const words = search.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (!words.length) return [text];
  const beginnings = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu');
  return text.split(beginnings).map((part, index) => index % 2 ? element('mark', '', part) : part);
}
