// What is not saved yet: undo, redo, the list of it, saving and discarding.

import * as api from './api.js';
import { decide } from './conflicts.js';
import { ask, button, element, link, say } from './elements.js';
import { shown } from './format.js';
import { address } from './place.js';

const kinds = { inserted: 'new', updated: 'changed', deleted: 'deleted' };

const conflictName = ({ table, key, version }) => JSON.stringify([table, key, version]);

function announcement({ label, isDeletedHere, isDeletedThere }) {
  const [theirs, mine] = [isDeletedThere ? 'deleted' : 'changed', isDeletedHere ? 'deleted' : 'changed'];
  return `The program has ${theirs} “${label}”, which is ${mine} here.`;
}

class Work {
  summary = { changes: [], conflicts: [], hasChanges: false, canUndo: false, canRedo: false };
  listeners = [];
  /** Changes are made one after the other, in the order in which the user made them. */
  last = Promise.resolve();

  /** Calls `listener` whenever rows may have changed here. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  start(bar, tables) {
    Object.assign(this, { bar, tables });
    this.undo = button('Undo', '', () => this.attempt(api.undo));
    this.redo = button('Redo', '', () => this.attempt(api.redo));
    this.list = button('', 'quiet', () => this.showList());
    this.conflicts = button('', 'work-conflicts', () => this.decide());
    this.discard = button('Discard…', 'danger', () => this.askToDiscard());
    this.save = button('Save', 'primary', () => this.saveAll());
    bar.append(this.undo, this.redo, this.list, this.conflicts, element('span', 'spacer'), this.discard, this.save);
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('beforeunload', (event) => { if (this.summary.hasChanges) event.preventDefault(); });
    return this.perform(api.changes);
  }

  /** Changes something on the studio's side, and shows what is unsaved then. */
  perform(action) {
    const next = this.last.then(action);
    this.last = next.catch(() => {});
    return next.then((summary) => {
      this.show(summary);
      return summary;
    });
  }

  async attempt(action) {
    try {
      await this.perform(action);
    } catch (refusal) {
      this.say(refusal);
    }
  }

  say(refusal) {
    say(refusal.message, true);
  }

  /** Looks at what is unsaved: the program may have changed the same rows. */
  look() {
    return this.perform(api.changes);
  }

  /** The conflict of a row that is changed here; undefined if there is none. */
  conflict(table, key) {
    return this.summary.conflicts.find((conflict) => conflict.table === table.name && api.keyText(conflict.key) === key);
  }

  show(summary) {
    const known = new Set(this.summary.conflicts.map(conflictName));
    this.summary = summary;
    const news = summary.conflicts.filter((conflict) => !known.has(conflictName(conflict)));
    this.bar.hidden = !summary.hasChanges && !summary.canUndo && !summary.canRedo;
    const { length } = summary.changes;
    this.list.textContent = summary.hasChanges ? `${length || ''} unsaved ${length === 1 ? 'change' : 'changes'}`.trim() : 'All saved';
    this.list.disabled = length === 0;
    this.conflicts.hidden = summary.conflicts.length === 0;
    this.conflicts.textContent = summary.conflicts.length === 1 ? '1 conflict…' : `${summary.conflicts.length} conflicts…`;
    if (news.length) say(news.map(announcement).join(' '), true);
    this.undo.disabled = !summary.canUndo;
    this.redo.disabled = !summary.canRedo;
    this.save.disabled = !summary.hasChanges;
    this.discard.disabled = !summary.hasChanges;
    for (const listener of this.listeners) listener();
  }

  async saveAll() {
    // What is being written counts as well.
    document.activeElement?.blur();
    try {
      await this.perform(api.save);
      say('Saved.');
    } catch (refusal) {
      if (!refusal.conflicts?.length) return this.say(refusal);
      const isDecided = await decide(refusal.conflicts, (action) => this.perform(action), 'Save');
      if (isDecided) await this.saveAll();
    }
  }

  /** Asks about the conflicts that are known, before anything is saved. */
  async decide() {
    try {
      await decide(this.summary.conflicts, (action) => this.perform(action), 'Decide');
    } catch (refusal) {
      this.say(refusal);
    }
  }

  async askToDiscard() {
    const { length } = this.summary.changes;
    const text = element('p', '', `${length === 1 ? 'One row goes' : `${length} rows go`} back to what the store has.`);
    const answer = await ask('Discard all unsaved changes?', [text], [{ label: 'Keep', value: '' }, { label: 'Discard', value: 'discard', kind: 'danger' }]);
    if (answer === 'discard') await this.attempt(api.discard);
  }

  showList() {
    const items = this.summary.changes.map((change) => {
      const key = JSON.stringify(change.key);
      const name = change.kind === 'deleted' ? element('span', '', change.label) : link(change.label, address({ table: change.table, row: key }));
      name.addEventListener('click', () => name.closest('dialog').close());
      const made = element('li', `change is-${change.kind}`, element('span', 'badge', kinds[change.kind]), ' ', name, element('span', 'soft', ` ${change.title}`));
      const lines = change.differences.map(({ property, before, after }) => element('li', '', `${property}: `, shown(before), ' → ', shown(after)));
      if (this.conflict({ name: change.table }, key)) made.append(' ', element('span', 'badge is-conflict', 'conflict'));
      if (lines.length) made.append(element('ul', 'differences', ...lines));
      return made;
    });
    ask('Unsaved changes', [element('ul', 'changes', ...items)], [{ label: 'Close', value: '' }]);
  }

  key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector('dialog')) return;
    const key = event.key.toLowerCase();
    if (key === 's' && !this.bar.hidden) {
      event.preventDefault();
      if (this.summary.hasChanges || document.activeElement?.matches('input, textarea')) this.saveAll();
    }
    // In a field, undo is the field's own.
    if (event.target.matches?.('input:not([type=checkbox]), textarea')) return;
    const isRedo = key === 'y' || (key === 'z' && event.shiftKey);
    if (!isRedo && key !== 'z') return;
    if (isRedo ? this.summary.canRedo : this.summary.canUndo) {
      event.preventDefault();
      this.attempt(isRedo ? api.redo : api.undo);
    }
  }
}

export const work = new Work();
