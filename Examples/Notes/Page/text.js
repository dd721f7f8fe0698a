// Dates and texts, the way people read them.

import { toDate } from '/dates.js';
import { element } from '/elements.js';

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** "14:03" for today, "3 Nov" for this year, "3 Nov 2024" before that. */
export function shortDate(seconds) {
  const date = toDate(seconds);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return clock.format(date);
  return (date.getFullYear() === now.getFullYear() ? day : dayOfYear).format(date);
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const weekdayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' });

/** "Today", "Yesterday", "Monday 17 November", or with the year before that. */
export function dayName(date) {
  const [year, month, number] = date.split('-').map(Number);
  const now = new Date();
  const isDaysAgo = (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime() === new Date(year, month - 1, number).getTime();
  if (isDaysAgo(0)) return 'Today';
  if (isDaysAgo(1)) return 'Yesterday';
  return (year === now.getFullYear() ? weekday : weekdayOfYear).format(new Date(year, month - 1, number));
}

/** The text as nodes, with every word that begins with a word of the search marked. */
export function marked(text, search) {
  const words = search.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (!words.length) return [text];
  const beginnings = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu');
  return text.split(beginnings).map((part, index) => index % 2 ? element('mark', '', part) : part);
}
