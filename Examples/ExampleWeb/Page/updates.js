// What the page shows, as it is and as it becomes: one message of the server for each change.

import { follow } from './streams.js';

const connection = document.getElementById('connection');

let listening = new AbortController();

/** Calls `show` with the JSON of every event of the name, in place of the events that were asked for before. Tells when the server is away. */
export function listen(address, name, show) {
  listening.abort();
  listening = new AbortController();
  const { signal } = listening;
  follow(address, name, {
    signal,
    received: (event) => {
      connection.hidden = true;
      show(JSON.parse(event.data));
    },
    lost: () => { connection.hidden = false; },
  });
}
