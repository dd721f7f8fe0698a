// Rows change as the program writes: one stream for all that the window shows.

import { eventsAddress, look } from './api.js';
import { follow } from './streams.js';

/** The least time between two refreshes, in milliseconds. */
const pause = 150;

let listening = new AbortController();
let watched = '';

/** Calls `changed` after commits that concern rows of the tables. */
export function watch(tables, changed) {
  const names = [...new Set(tables)].sort();
  const next = JSON.stringify(names);
  if (next === watched) return;
  watched = next;
  listening.abort();
  if (names.length === 0) return;
  listening = new AbortController();
  const { signal } = listening;
  const refresh = inTurn(changed);
  follow(eventsAddress(names), 'change', {
    signal,
    // The first event comes at once: the program may have written since the window read its rows.
    received: refresh,
    lost: look,
  });
}

/** One call at a time, and one more if it was asked for meanwhile. */
function inTurn(action) {
  let isRunning = false;
  let isAsked = false;
  return async function turn() {
    if (isRunning) {
      isAsked = true;
      return;
    }
    isRunning = true;
    await action();
    await new Promise((resolve) => { setTimeout(resolve, pause); });
    isRunning = false;
    if (isAsked) {
      isAsked = false;
      turn();
    }
  };
}
