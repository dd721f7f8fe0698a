// The page: it listens to the list, opens what is asked for, and knows the shortcuts.

import { offer, say, undo } from '/toast.js';
import { listen } from '/updates.js';
import * as api from './api.js';
import { showDeleted } from './deleted.js';
import { Editor } from './editor.js';
import { NoteList } from './list.js';
import { draft } from './row.js';
import { StoredPanel } from './stored.js';

const search = document.getElementById('search');
const welcome = document.getElementById('welcome');
const shortcuts = document.getElementById('shortcuts');
const searchPause = 120;

const stored = new StoredPanel();
const list = new NoteList({
  open: (id) => go(id),
  walk: (id) => isNarrow() || go(id, { replace: true }),
  enter: (id) => go(id, { enter: true }),
  remove,
});
const editor = new Editor({
  saved(note, wasDraft) {
    if (wasDraft && location.hash === `#${draft}`) history.replaceState(null, '', `#${note.id}`);
    list.select(editor.id);
    stored.show(editor.id);
    document.title = note.title;
    const summary = list.find(note.id);
    if (summary) editor.follow(summary);
  },
  unsaved: (ids) => list.markUnsaved(ids),
  discarded: () => go(),
  copied: (copy) => say(`Yours was kept as a note of its own: “${copy.title}”.`),
  offerUndo: offer,
});

// MARK: Which note is open: the address says it, so that a reload and the back button do what one expects

let opening = 0;

/** Opens the note `id`, the draft, or nothing. `enter` puts the cursor into it, `replace` leaves no trace in the history. */
async function go(id, { enter = false, replace = false } = {}) {
  const hash = id ? `#${id}` : '';
  if (location.hash !== hash) history[replace ? 'replaceState' : 'pushState'](null, '', hash || location.pathname);
  await show(id, { enter });
}

async function show(id, { enter = false } = {}) {
  const turn = ++opening;
  document.body.dataset.pane = id ? 'editor' : 'list';
  if (id && id === editor.id) {
    if (enter) editor.focus();
    return;
  }
  list.select(id);
  await editor.leave();
  if (turn !== opening) return;
  try {
    const note = id && id !== draft ? await api.note(id) : undefined;
    if (turn !== opening) return;
    if (id) editor.open(note);
    document.title = note?.title ?? 'Notes';
    stored.show(note?.id);
  } catch (refusal) {
    if (turn !== opening) return;
    say(refusal.isGone ? 'That note is not there any more.' : refusal.message);
    return go();
  }
  welcome.hidden = Boolean(id);
  list.select(id);
  if (enter) editor.focus();
}

addEventListener('popstate', () => show(location.hash.slice(1) || undefined));

// MARK: The list, live

const deleting = new Set();

function followList() {
  const asked = search.value.trim();
  listen(api.eventsAddress(asked), 'notes', (notes) => {
    list.show(notes, asked);
    if (editor.id && !deleting.has(editor.id)) editor.follow(list.find(editor.id));
  });
}

let typing;
search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(followList, searchPause);
});
search.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'Enter') { event.preventDefault(); list.focus(); }
  if (event.key === 'Escape' && !search.value) list.focus();
});

document.addEventListener('visibilitychange', () => { if (document.hidden) editor.save({ keepalive: true }); });

// MARK: Deleting

async function remove(id) {
  if (id === draft) {
    editor.forget(draft);
    await go();
    return list.focus();
  }
  const next = list.neighbour(id);
  const name = list.find(id)?.title ?? 'The note';
  deleting.add(id);
  try {
    if (editor.id === id) await editor.save();
    await api.remove(id);
    editor.forget(id);
  } catch (refusal) {
    return say(`Not deleted: ${refusal.message}`);
  } finally {
    deleting.delete(id);
  }
  offer(`“${name}” was deleted.`, async () => {
    await api.restore(id);
    await go(id);
    list.focus();
  });
  await go(isNarrow() ? undefined : next);
  list.focus();
}

const isNarrow = () => matchMedia('(max-width: 760px)').matches;

// MARK: Buttons and shortcuts

document.getElementById('new-note').addEventListener('click', () => go(draft, { enter: true }));
document.getElementById('delete-note').addEventListener('click', () => remove(editor.id));
document.getElementById('show-deleted').addEventListener('click', () => showDeleted({ restored: (id) => go(id) }));
document.getElementById('show-shortcuts').addEventListener('click', () => shortcuts.showModal());
document.getElementById('back').addEventListener('click', async () => { await go(); list.focus(); });

const writesText = (target) => target.isContentEditable || target.matches('textarea, select, input:not([type=radio], [type=color], [type=file])');

document.addEventListener('keydown', (event) => {
  if (event.isComposing || document.querySelector('dialog[open]')) return;
  const withControl = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (withControl && !event.shiftKey && !event.altKey) {
    if (key === 's') { event.preventDefault(); editor.save({ explicitly: true }); }
    else if (key === 'z' && !writesText(event.target)) { event.preventDefault(); undo(); }
    return;
  }
  if (withControl || event.altKey) return;
  if (event.key === 'Escape' && document.getElementById('editor').contains(event.target)) {
    event.preventDefault();
    if (isNarrow()) go().then(() => list.focus());
    else list.focus();
    return;
  }
  if (writesText(event.target)) return;
  const action = {
    n: () => go(draft, { enter: true }),
    '/': () => { if (isNarrow()) go(); search.select(); },
    '?': () => shortcuts.showModal(),
  }[key];
  if (action) { event.preventDefault(); action(); }
});

// What can be saved is on its way when the page closes; for what cannot, the browser asks.
addEventListener('beforeunload', (event) => {
  editor.save({ keepalive: true });
  if (editor.hasUnsaved) event.preventDefault();
});

followList();
show(location.hash.slice(1) || undefined);
