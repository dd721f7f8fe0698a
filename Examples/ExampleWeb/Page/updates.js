// What the page shows, as it is and as it becomes: one message of the server for each change.

const connection = document.getElementById('connection');

let source;
let retry;

/** Calls `show` with the JSON of every event of the name, in place of the events that were asked for before. Tells when the server is away. */
export function listen(address, name, show) {
  stop();
  const opened = new EventSource(address);
  source = opened;
  opened.addEventListener(name, (event) => {
    connection.hidden = true;
    show(JSON.parse(event.data));
  });
  opened.addEventListener('error', () => {
    connection.hidden = false;
    // Without a response the browser tries again by itself.
    if (opened.readyState === EventSource.CLOSED) retry = setTimeout(() => listen(address, name, show), 1000);
  });
}

/** Gives the connection back: a browser has only six for one server. */
export function stop() {
  clearTimeout(retry);
  source?.close();
}
