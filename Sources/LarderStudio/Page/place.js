// Where the page is: the part of the address behind "#", so that the browser's own buttons lead back.

const listeners = [];

/** The place as the address has it. `of`, `relationship` and `key` name the row whose related rows are shown. */
export function place() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** The address of a place. */
export function address(values) {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return `#${new URLSearchParams(kept)}`;
}

/** Goes to a place. */
export function go(values) {
  const next = address(values);
  if (next === location.hash) return;
  location.hash = next;
}

/** Changes parts of the place. */
export const change = (values) => go({ ...place(), ...values });

/** Changes parts of the place without a step for the browser's buttons. */
export function replace(values) {
  history.replaceState(null, '', address({ ...place(), ...values }));
  for (const listener of listeners) listener(place());
}

export function onMove(listener) {
  listeners.push(listener);
}

addEventListener('hashchange', () => {
  for (const listener of listeners) listener(place());
});
