// The dialog with the deleted creatures: each comes back, or goes for good.

import { element, icon } from '/elements.js';
import * as api from './api.js';
import { face, titleOf } from './card.js';

const at = (id) => document.getElementById(id);

export class Trash {
  #dialog = at('trash');
  #events;
  /** The row that asks whether to delete its creature for good. */
  #asked;

  /** `events`: `restored(card)`, `refused(message)`. */
  constructor(events) {
    this.#events = events;
    at('trash-close').addEventListener('click', () => this.#dialog.close());
    at('trash-empty').addEventListener('click', () => this.#ask(''));
  }

  get isOpen() { return this.#dialog.open; }

  async open() {
    this.#asked = undefined;
    at('trash-error').hidden = true;
    if (!await this.show()) return;
    this.#dialog.showModal();
    at('trash-close').focus();
  }

  /** Asks for what is in the trash now. Returns false if the server doesn't say it. */
  async show() {
    let deleted;
    try {
      deleted = await api.deleted();
    } catch ({ message }) {
      this.#say(message);
      return false;
    }
    const place = this.#place();
    const isAsking = this.#asked === '' || deleted.some(({ name }) => name === this.#asked);
    if (!isAsking) this.#asked = undefined;
    at('trash-list').replaceChildren(...deleted.map((card) => this.#row(card)));
    at('trash-none').hidden = deleted.length > 0;
    at('trash-empty').hidden = deleted.length === 0;
    at('trash-question').replaceChildren(...(this.#asked === '' ? this.#question('Delete all of it for good?', '', 'Delete all') : []));
    if (place) this.#focus(place);
    return true;
  }

  #row(card) {
    const picture = element('span', 'trash-picture', icon(face));
    if (card.hasThumbnail) {
      const image = element('img');
      image.alt = '';
      image.src = api.deletedThumbnailAddress(card);
      image.addEventListener('error', () => picture.replaceChildren(icon(face)));
      picture.replaceChildren(image);
    }
    const title = element('span', 'trash-title', titleOf(card));
    title.dir = 'auto';
    const row = element('li', 'trash-row', picture, title);
    row.dataset.name = card.name;
    if (card.name === this.#asked) row.append(...this.#question('For good?', card.name, `Delete`, titleOf(card)));
    else {
      row.append(
        button('Restore', 'restore', `Restore ${titleOf(card)}`, () => this.#restore(card)),
        button('Delete…', 'danger destroy', `Delete ${titleOf(card)} for good`, () => this.#ask(card.name)));
    }
    return row;
  }

  /** A question with its two answers; `name` is empty for all that is in the trash. */
  #question(text, name, action, title = 'everything') {
    return [
      element('strong', 'asked', text),
      button('Keep', 'keep', `Keep ${title}`, () => this.#ask(undefined, name)),
      button(action, 'primary for-good', `Delete ${title} now`, () => this.#delete(name)),
    ];
  }

  async #ask(name, before) {
    this.#asked = name;
    if (!await this.show()) return;
    if (name !== undefined) this.#within(name)?.querySelector('.keep')?.focus();
    else if (before) this.#within(before)?.querySelector('.destroy')?.focus();
    else at('trash-empty').focus();
  }

  #within(name) {
    return name ? [...at('trash-list').children].find((row) => row.dataset.name === name) : at('trash-question');
  }

  async #restore(card) {
    await this.#attempt(async () => {
      await api.undelete(card.name);
      this.#events.restored(card);
    });
  }

  async #delete(name) {
    await this.#attempt(async () => {
      if (name) await api.deleteForGood(name);
      else await api.emptyTrash();
      this.#asked = undefined;
    });
  }

  async #attempt(change) {
    at('trash-error').hidden = true;
    try {
      await change();
    } catch ({ message }) {
      this.#say(message);
    }
    await this.show();
  }

  /** Which row has the focus, so that it stays there, or goes to the row that took its place. */
  #place() {
    const focused = document.activeElement;
    if (!this.isOpen || !this.#dialog.contains(focused)) return undefined;
    const row = focused.closest('.trash-row');
    return { name: row?.dataset.name, index: row ? [...at('trash-list').children].indexOf(row) : -1, kind: focused.classList[0], focused };
  }

  #focus({ name, index, kind, focused }) {
    if (focused.isConnected && !focused.closest('[hidden]')) return;
    const rows = [...at('trash-list').children];
    const row = rows.find((row) => row.dataset.name === name) ?? rows[Math.min(index, rows.length - 1)];
    (row?.querySelector(`.${kind}`) ?? row?.querySelector('button') ?? at('trash-close')).focus();
  }

  #say(message) {
    if (!this.isOpen) return this.#events.refused(message);
    at('trash-error').textContent = message;
    at('trash-error').hidden = false;
  }
}

function button(text, className, label, clicked) {
  const made = element('button', className, text);
  made.type = 'button';
  made.ariaLabel = label;
  made.addEventListener('click', clicked);
  return made;
}
