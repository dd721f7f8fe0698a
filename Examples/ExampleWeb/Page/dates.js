// Dates, the way people read them.

/** Larder keeps a date as seconds since 2001-01-01 UTC, and so does the server's JSON. */
export const toDate = (seconds) => new Date((seconds + 978_307_200) * 1000);

const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** "3 Nov 2024, 14:03". */
export const longDate = (seconds) => whole.format(toDate(seconds));
