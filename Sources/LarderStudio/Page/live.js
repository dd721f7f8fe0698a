// Rows change as the program writes: one stream for all that the window shows.

import { eventsAddress } from './api.js';

const connection = document.getElementById('connection');
/** The least time between two refreshes, in milliseconds. */
const pause = 150;

let source;
let watched = '';
let retry;

/** Calls `changed` after commits that concern rows of the tables. */
export function watch(tables, changed) {
  const names = [...new Set(tables)].sort();
  const next = JSON.stringify(names);
  if (next === watched) return;
  watched = next;
  connect(names, changed);
}

function connect(names, changed) {
  clearTimeout(retry);
  source?.close();
  source = undefined;
  if (names.length === 0) return;
  const opened = new EventSource(eventsAddress(names));
  source = opened;
  const refresh = inTurn(changed);
  // The first event comes at once: the program may have written since the window read its rows.
  opened.addEventListener('change', () => {
    connection.hidden = true;
    refresh();
  });
  opened.addEventListener('error', () => {
    connection.hidden = false;
    if (opened.readyState === EventSource.CLOSED) retry = setTimeout(() => connect(names, changed), 1000);
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
