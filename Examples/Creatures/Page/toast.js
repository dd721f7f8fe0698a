// What happened, in a line at the foot of the page; what was taken away can be brought back there, and with Ctrl+Z.

const toast = document.getElementById('toast');
const text = document.getElementById('toast-text');
const button = document.getElementById('toast-action');
const visibleFor = 10_000;
const steps = [];

let timer;

function hideLater() {
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, visibleFor);
}

function show(message, canUndo) {
  text.textContent = message;
  button.hidden = !canUndo;
  toast.hidden = false;
  hideLater();
}

export const say = (message) => show(message, false);

/** Says what happened and offers to take it back; `bringBack` does it. */
export function offer(message, bringBack) {
  steps.push(bringBack);
  show(message, true);
}

export async function undo() {
  const bringBack = steps.pop();
  if (!bringBack) return;
  toast.hidden = true;
  try {
    await bringBack();
  } catch (refusal) {
    if (refusal.isUnreachable) steps.push(bringBack);
    say(`Not undone: ${refusal.message}`);
  }
}

button.addEventListener('click', undo);
// A pointer or the focus on the toast keeps it there.
for (const event of ['pointerenter', 'focusin']) toast.addEventListener(event, () => clearTimeout(timer));
for (const event of ['pointerleave', 'focusout']) toast.addEventListener(event, hideLater);
