// Texts and dates, the way people read them.

/** Larder keeps a date as seconds since 2001-01-01 UTC, and so does the server's JSON. */
const toDate = (seconds) => new Date((seconds + 978_307_200) * 1000);

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

export const longDate = (seconds) => whole.format(toDate(seconds));
export const shortDate = (seconds) => day.format(toDate(seconds));

/** "812 KB", "2.4 MB". */
export const size = (bytes) => bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** "the picture and the thumbnail", "a, b and c". */
export const listed = (words) => words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** An element with the given class and content. Text is always text here: nothing in this page parses HTML. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** A drawing of our own, from the path of its lines. */
export function drawing(path, box = '0 0 24 24') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  made.setAttribute('viewBox', box);
  made.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  line.setAttribute('d', path);
  made.append(line);
  return made;
}
