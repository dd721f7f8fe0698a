// The parts of a page. Text is always text here: no page parses HTML.

/** An element with the given class and content. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** An element of a drawing with the given attributes and content. */
export function drawn(tag, attributes = {}, ...content) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/** A small drawing of lines along a path. */
export const icon = (path) => drawn('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, drawn('path', { d: path }));
