// What was taken away can be brought back: a line at the foot of the page, and Ctrl+Z for as long as the page is open.

const toast = document.getElementById('toast');
const text = document.getElementById('toast-text');
const button = document.getElementById('toast-undo');
const visibleFor = 10_000;

export class Undo {
  #steps = [];
  #timer;

  constructor() {
    button.addEventListener('click', () => this.undo());
    // A pointer or the focus on the toast keeps it there.
    for (const event of ['pointerenter', 'focusin']) toast.addEventListener(event, () => clearTimeout(this.#timer));
    for (const event of ['pointerleave', 'focusout']) toast.addEventListener(event, () => this.#hideLater());
  }

  /** Says what happened and offers to take it back; `bringBack` does it. */
  offer(message, bringBack) {
    this.#steps.push(bringBack);
    this.#show(message, true);
  }

  say(message) { this.#show(message, false); }

  async undo() {
    const bringBack = this.#steps.pop();
    if (!bringBack) return;
    toast.hidden = true;
    try {
      await bringBack();
    } catch (refusal) {
      if (refusal.isUnreachable) this.#steps.push(bringBack);
      this.say(`Not undone: ${refusal.message}`);
    }
  }

  #show(message, canUndo) {
    text.textContent = message;
    button.hidden = !canUndo;
    toast.hidden = false;
    this.#hideLater();
  }

  #hideLater() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { toast.hidden = true; }, visibleFor);
  }
}
