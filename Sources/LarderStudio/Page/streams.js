// Streams of events. A browser has six connections for one server, and each open stream takes one of them from all its windows.

/** The number of windows whose streams stay open. The others open theirs again and again, for one event. */
const places = 4;
/** The time between two such events, and before a stream that was refused is opened again, in milliseconds. */
const pause = 1000;

/**
 * Listens to an address until `signal` aborts, and only while somebody looks at the window. `received` gets each event of the name; the
 * server sends the first one at once. `lost` is called when the server is away.
 */
export async function follow(address, name, { received, lost, signal }) {
  while (!signal.aborted) {
    if (document.hidden) {
      await next(document, 'visibilitychange', signal);
      continue;
    }
    let isWell;
    const hasPlace = await inPlace(async () => { isWell = await receive(address, name, { received, lost, signal }); });
    if (!hasPlace) isWell = await receive(address, name, { received, lost, signal, isBrief: true });
    if (!hasPlace || !isWell) await wait(signal);
  }
}

/** Calls the closure if one of the places is free. Returns whether it was. */
async function inPlace(action) {
  // Only this machine's own addresses have locks. Without them every window keeps its stream.
  if (!navigator.locks) {
    await action();
    return true;
  }
  for (let place = 0; place < places; place += 1) {
    const isFree = await navigator.locks.request(`larder stream ${place}`, { ifAvailable: true }, async (lock) => {
      if (lock) await action();
      return Boolean(lock);
    });
    if (isFree) return true;
  }
  return false;
}

/** Opens the stream until nobody looks any more, until `signal` aborts, or for one event. Returns whether the server was there. */
function receive(address, name, { received, lost, signal, isBrief = false }) {
  const opened = new EventSource(address);
  const over = new AbortController();
  return new Promise((resolve) => {
    const end = (isWell) => {
      opened.close();
      over.abort();
      resolve(isWell);
    };
    opened.addEventListener(name, (event) => {
      received(event);
      if (isBrief) end(true);
    });
    opened.addEventListener('error', () => {
      lost();
      // Without a response the browser tries again by itself.
      if (isBrief || opened.readyState === EventSource.CLOSED) end(false);
    });
    document.addEventListener('visibilitychange', () => { if (document.hidden) end(true); }, { signal: over.signal });
    signal.addEventListener('abort', () => end(true), { signal: over.signal });
    if (signal.aborted) end(true);
  });
}

/** Waits for an event, or until `signal` aborts. */
function next(target, name, signal) {
  return new Promise((resolve) => {
    target.addEventListener(name, resolve, { once: true, signal });
    signal.addEventListener('abort', resolve, { once: true });
  });
}

function wait(signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, pause);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
