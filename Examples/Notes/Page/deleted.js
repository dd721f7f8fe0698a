// The notes that were deleted lately: each can be brought back, or deleted for good.

import { longDate, toDate } from '/dates.js';
import { element } from '/elements.js';
import * as api from './api.js';

const dialog = document.getElementById('deleted');
const list = document.getElementById('deleted-notes');
const said = document.getElementById('deleted-text');
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long' });

/** Shows the list in a dialog. `restored` is called with the identifier of a note that was brought back. */
export async function showDeleted({ restored }) {
  said.textContent = 'Reading …';
  list.replaceChildren();
  dialog.showModal();
  try {
    const notes = await api.deletedNotes();
    list.replaceChildren(...notes.map((note) => row(note, restored)));
    sayHowMany();
  } catch (refusal) {
    said.textContent = refusal.message;
  }
}

function sayHowMany() {
  said.textContent = list.children.length ? 'A note stays here for 30 days after it was deleted.' : 'Nothing was deleted in the last 30 days.';
}

function row(note, restored) {
  const title = element('span', 'note-title', note.title);
  title.dir = 'auto';
  const dates = element('span', 'deleted-dates', `Deleted ${longDate(note.deletedAt)} · kept until ${day.format(toDate(note.expiresAt))}`);
  const made = element('li', 'deleted-note', title, dates);
  const bringBack = button('Restore', '', `Restore ${note.title}`, () => leave(made, async () => {
    await api.restore(note.id);
    restored(note.id);
  }));
  const forGood = button('Delete for good', 'danger', `Delete ${note.title} for good`, () => {
    if (forGood.dataset.asks) return leave(made, () => api.removeForGood(note.id));
    forGood.dataset.asks = 'true';
    forGood.textContent = 'Really delete?';
    forGood.ariaLabel = `Really delete ${note.title} for good?`;
  });
  made.append(element('span', 'deleted-actions', bringBack, forGood));
  return made;
}

/** Does something with a note that leaves the list then. The focus goes to what stands in its place. */
async function leave(made, action) {
  try {
    await action();
  } catch (refusal) {
    if (!refusal.isGone) {
      said.textContent = refusal.message;
      return;
    }
  }
  const next = made.nextElementSibling ?? made.previousElementSibling;
  made.remove();
  (next ?? dialog.querySelector('form')).querySelector('button').focus();
  sayHowMany();
}

function button(label, className, name, action) {
  const made = element('button', className, label);
  made.type = 'button';
  made.ariaLabel = name;
  made.addEventListener('click', action);
  return made;
}
