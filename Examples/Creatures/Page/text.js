// Texts and dates, the way people read them.

import { toDate } from '/dates.js';

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

export const shortDate = (seconds) => day.format(toDate(seconds));

/** "812 KB", "2.4 MB". */
export const size = (bytes) => bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** "the picture and the thumbnail", "a, b and c". */
export const listed = (words) => words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);
