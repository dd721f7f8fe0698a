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

/** Closes a menu by Escape, and by a click beside it. */
export function closeOutside(menu) {
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  addEventListener('pointerdown', (event) => { if (!menu.contains(event.target)) menu.open = false; });
}

let names = 0;

/** A name that no other element of the page has. */
export function newID(prefix) {
  names += 1;
  return `${prefix}-${names}`;
}

/** Puts the focus into an element: on the control with the path, or on the first that can be seen. */
export function focusIn(made, path) {
  const controls = [...made.querySelectorAll('input:not(.unseen), textarea, select, button')].filter((control) => control.checkVisibility());
  const same = path && controls.find((control) => control.dataset.path === path);
  (same || controls.find((control) => !control.matches('button')) || controls[0])?.focus({ preventScroll: true });
}

let timer;

/** Says what happened, in a line at the foot of the page. With `undo`, a button there takes it back, or does what it is named after. */
export function say(text, isError = false, undo = undefined, name = 'Undo') {
  const line = document.getElementById('message');
  const hide = () => { line.hidden = true; };
  line.replaceChildren(text);
  if (undo) {
    line.append(' ', button(name, 'small', () => {
      hide();
      undo();
    }));
  }
  line.classList.toggle('error', isError);
  line.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(hide, isError || undo ? 12_000 : 5_000);
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
