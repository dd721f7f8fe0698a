// The list of creatures, as the server says it is.

import { offer, say, undo } from '/toast.js';
import { listen } from '/updates.js';
import * as api from './api.js';
import { Card, titleOf } from './card.js';
import { Form } from './form.js';
import { fileIn, thumbnailOf } from './picture.js';
import { Trash } from './trash.js';

const at = (id) => document.getElementById(id);
const cards = new Map();
const form = new Form({ saved: say, remove });
const trash = new Trash({ restored: (card) => say(`Restored “${titleOf(card)}”.`), refused: say });
const search = at('search');
const orders = {
  newest: () => 0,
  best: (a, b) => (b.rating ?? 0) - (a.rating ?? 0),
  title: (a, b) => (a.title ?? '').localeCompare(b.title ?? '', undefined, { sensitivity: 'base', numeric: true }),
};

let listing = [];
/** The name of a creature that comes back, and gets the focus then unless something else has it. */
let awaited;

// MARK: Showing

function show() {
  const focused = document.activeElement;
  const place = [...at('cards').children].findIndex((card) => card.contains(focused));
  const found = listing.filter(isFound);
  const names = new Set(found.map(({ name }) => name));
  for (const [name, card] of cards) {
    if (names.has(name)) continue;
    card.element.remove();
    cards.delete(name);
  }
  // Of equals, the newest comes first.
  const ordered = found.toReversed().sort(orders[at('order').value]);
  ordered.forEach((data, index) => {
    if (!cards.has(data.name)) cards.set(data.name, new Card({ open: (card) => form.open(card), rate, remove, restore }));
    const card = cards.get(data.name);
    card.show(data);
    if (at('cards').children[index] !== card.element) at('cards').insertBefore(card.element, at('cards').children[index] ?? null);
  });
  // Moving an element takes the focus from it.
  if (focused !== document.activeElement && focused.isConnected && !form.isOpen) focused.focus();
  // That of a card which is gone goes to the one in its place.
  if (place >= 0 && !focused.isConnected) focusCard(ordered[Math.min(place, ordered.length - 1)]?.name);
  if (cards.has(awaited)) {
    if (document.activeElement === document.body) focusCard(awaited);
    awaited = undefined;
  }
  const damaged = listing.filter(({ damage }) => damage).length;
  at('empty').hidden = listing.length > 0;
  at('check').hidden = at('order').hidden = search.hidden = listing.length === 0;
  at('none').hidden = listing.length === 0 || found.length > 0;
  const all = `${counted(listing.length)}${damaged ? `, ${damaged} damaged` : ''}`;
  at('count').textContent = !listing.length ? '' : search.value.trim() ? `${found.length} of ${all}` : all;
}

const fold = (text) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Whether the name has all words that are searched for. */
const isFound = (card) => fold(search.value).split(/\s+/).every((word) => fold(titleOf(card)).includes(word));

const focusCard = (name) => (cards.get(name) ?? at('new-creature')).focus();

const counted = (count) => `${count} ${count === 1 ? 'creature' : 'creatures'}`;

const follow = () => listen(api.eventsAddress, 'creatures', (creatures) => {
  listing = creatures;
  show();
  if (trash.isOpen) trash.show();
});

// MARK: Changing

async function rate(card, rating) {
  try {
    await api.rate(card.name, rating);
  } catch (refusal) {
    say(refusal.message);
  }
}

async function remove(card) {
  try {
    await api.remove(card.name);
    offer(`Deleted “${titleOf(card)}”.`, async () => {
      awaited = card.name;
      await api.undelete(card.name);
    });
  } catch (refusal) {
    say(refusal.message);
  }
}

async function restore(card) {
  try {
    const { left, lost } = card.damage;
    const needsThumbnail = left.includes('picture') && (lost.includes('thumbnail') || !left.includes('thumbnail'));
    await api.restore(card.name, needsThumbnail ? await thumbnailOf(api.pictureAddress(card)) : undefined);
    say(`Restored what was left of “${titleOf(card)}”.`);
    cards.get(card.name)?.focus();
  } catch (refusal) {
    say(refusal.message);
  }
}

at('check').addEventListener('click', async () => {
  at('check').disabled = true;
  try {
    const { creatures, damaged } = await api.check();
    if (damaged) say(`${damaged} of ${creatures} ${damaged === 1 ? 'is' : 'are'} damaged.`);
    else say(creatures === 1 ? 'The creature is whole.' : `All ${creatures} creatures are whole.`);
  } catch (refusal) {
    say(refusal.message);
  } finally {
    at('check').disabled = false;
    at('check').focus();
  }
});

// MARK: Dropping and keys

function openNew(file) {
  if (!form.isOpen) form.open();
  if (file) form.choose(file);
}

at('new-creature').addEventListener('click', () => openNew());
at('first-creature').addEventListener('click', () => openNew());
at('order').addEventListener('change', show);
at('open-trash').addEventListener('click', () => trash.open());
search.addEventListener('input', show);
search.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !search.value) return;
  event.preventDefault();
  search.value = '';
  show();
});

const hasFile = (event) => event.dataTransfer?.types.includes('Files');
addEventListener('dragover', (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  at('veil').hidden = form.isOpen || trash.isOpen;
});
addEventListener('dragleave', (event) => { if (!event.relatedTarget) at('veil').hidden = true; });
addEventListener('drop', (event) => {
  if (!hasFile(event)) return;
  event.preventDefault();
  at('veil').hidden = true;
  if (!form.isOpen && !trash.isOpen) openNew(fileIn(event.dataTransfer));
});
addEventListener('paste', (event) => {
  const file = fileIn(event.clipboardData);
  if (!file || trash.isOpen) return;
  event.preventDefault();
  openNew(file);
});
addEventListener('keydown', (event) => {
  const isTyping = event.target.matches('input:not([type=radio]), select, textarea');
  if (form.isOpen || trash.isOpen || isTyping) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !event.shiftKey) {
    event.preventDefault();
    undo();
  } else if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.focus();
  } else if (event.key.toLowerCase() === 'n' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    openNew();
  }
});

follow();
