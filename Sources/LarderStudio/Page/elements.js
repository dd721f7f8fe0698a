// The parts of a page. Text is always text here: the page parses no HTML.

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

/** A button that does something. */
export function button(label, className, action) {
  const made = element('button', className, label);
  made.type = 'button';
  made.addEventListener('click', action);
  return made;
}

/** A link within the page. */
export function link(label, address, className = '') {
  const made = element('a', className, label);
  made.href = address;
  return made;
}

let names = 0;

/** A name that no other element of the page has. */
export function newID(prefix) {
  names += 1;
  return `${prefix}-${names}`;
}

let timer;

/** Says what happened, in a line at the foot of the page. */
export function say(text, isError = false) {
  const line = document.getElementById('message');
  line.textContent = text;
  line.classList.toggle('error', isError);
  line.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => { line.hidden = true; }, isError ? 12_000 : 5_000);
}

/** Shows a dialog with the given parts, and resolves once it is closed, with the value that it was closed with. */
export function ask(title, parts, actions) {
  const heading = element('h2', '', title);
  heading.id = newID('dialog');
  const dialog = element('dialog', 'dialog', heading, ...parts);
  dialog.setAttribute('aria-labelledby', heading.id);
  const row = element('p', 'actions');
  for (const { label, value, kind } of actions) row.append(button(label, kind ?? '', () => dialog.close(value)));
  dialog.append(row);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}
