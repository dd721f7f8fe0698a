// What happened, in a line at the foot of the page, and a button that takes it back.

const toast = document.getElementById('toast');
const text = document.getElementById('toast-text');
const button = document.getElementById('toast-action');
const visibleFor = 10_000;

let timer;
let action;

function hideLater() {
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, visibleFor);
}

/** Says what happened; `label` and `perform` are a button's. */
export function say(message, label, perform) {
  text.textContent = message;
  button.hidden = !label;
  button.textContent = label ?? '';
  action = perform;
  toast.hidden = false;
  hideLater();
}

button.addEventListener('click', () => {
  toast.hidden = true;
  action?.();
});
// A pointer or the focus on the toast keeps it there.
for (const event of ['pointerenter', 'focusin']) toast.addEventListener(event, () => clearTimeout(timer));
for (const event of ['pointerleave', 'focusout']) toast.addEventListener(event, hideLater);
