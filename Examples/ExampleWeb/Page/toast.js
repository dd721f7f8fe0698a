// What happened, in a line at the foot of the page, and a button that takes it back.

const toast = document.getElementById('toast');
const text = document.getElementById('toast-text');
const button = document.getElementById('toast-action');
const visibleFor = 10_000;
const steps = [];

let timer;
let action;

/** The browser takes the focus from what is hidden only when it draws the page: whoever asks where it is mustn't find it here. */
function hide() {
  if (toast.contains(document.activeElement)) document.activeElement.blur();
  toast.hidden = true;
}

function hideLater() {
  clearTimeout(timer);
  timer = setTimeout(hide, visibleFor);
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

/** Says what happened and offers to take it back, here and by `undo` for as long as the page is open; `bringBack` does it. */
export function offer(message, bringBack) {
  steps.push(bringBack);
  say(message, 'Undo', undo);
}

/** Withdraws all that was offered: nothing of it can be taken back any longer. */
export function withdraw() {
  steps.length = 0;
  hide();
}

/** Takes back what was offered last. */
export async function undo() {
  const bringBack = steps.pop();
  if (!bringBack) return;
  hide();
  try {
    await bringBack();
  } catch (refusal) {
    // What is gone, or was changed elsewhere, never comes back: its step would keep all earlier ones from their turn.
    const isOver = refusal.isGone || refusal.isConflict;
    if (!isOver) steps.push(bringBack);
    say(`Not undone: ${refusal.message}`, isOver ? undefined : 'Undo', undo);
  }
}

button.addEventListener('click', () => {
  hide();
  action?.();
});
// A pointer or the focus on the toast keeps it there.
for (const event of ['pointerenter', 'focusin']) toast.addEventListener(event, () => clearTimeout(timer));
for (const event of ['pointerleave', 'focusout']) toast.addEventListener(event, hideLater);
