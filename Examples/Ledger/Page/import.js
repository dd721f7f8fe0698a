// Import of a file: choose it, see what it would do and which lines are refused, then save all of it or nothing.

import { element } from '/elements.js';
import { Refusal } from '/requests.js';
import * as api from './api.js';
import { costs, counted, longDay, money, sign } from './text.js';

const dialog = document.getElementById('import-dialog');
const error = document.getElementById('import-error');
const choice = document.getElementById('import-choice');
const drop = document.getElementById('drop');
const input = document.getElementById('import-file');
const progress = document.getElementById('import-progress');
const bar = document.getElementById('import-bar');
const state = document.getElementById('import-state');
const preview = document.getElementById('import-preview');
const start = document.getElementById('import-start');
const known = document.getElementById('import-known');
const knownText = document.getElementById('import-known-text');
const cancel = document.getElementById('import-cancel');

export class ImportDialog {
  #events;
  #file;
  #found;
  #running;

  /** `events`: `imported(message)`, `account(id)`, which answers with the account. */
  constructor(events) {
    this.#events = events;
    input.addEventListener('change', () => this.#choose(input.files[0]));
    drop.addEventListener('dragover', (event) => { event.preventDefault(); drop.classList.add('over'); });
    drop.addEventListener('dragleave', () => drop.classList.remove('over'));
    drop.addEventListener('drop', (event) => {
      event.preventDefault();
      drop.classList.remove('over');
      this.#choose(event.dataTransfer.files[0]);
    });
    known.addEventListener('change', () => this.#offer());
    start.addEventListener('click', () => this.#import());
    cancel.addEventListener('click', () => dialog.close());
    dialog.addEventListener('close', () => this.#running?.abort());
  }

  open() {
    this.#file = undefined;
    input.value = '';
    this.#say('');
    this.#show(choice);
    dialog.showModal();
    input.focus();
  }

  #show(part) {
    for (const other of [choice, progress, preview]) other.hidden = other !== part;
    start.hidden = known.parentElement.hidden = true;
    cancel.textContent = 'Cancel';
  }

  #say(message) {
    error.textContent = message;
    error.hidden = !message;
  }

  #advance(part, text) {
    if (part === undefined) bar.removeAttribute('value'); else bar.value = part;
    state.textContent = text;
  }

  async #choose(file) {
    if (!file) return;
    this.#file = file;
    this.#say('');
    this.#show(progress);
    this.#advance(0, `Reading ${file.name}…`);
    this.#running = new AbortController();
    try {
      const found = await api.previewImport(file, {
        uploaded: (part) => this.#advance(part === 1 ? undefined : part, `Reading ${file.name}…`),
        signal: this.#running.signal,
      });
      this.#preview(found);
    } catch (refusal) {
      input.value = '';
      this.#show(choice);
      this.#say(refusal.message);
    }
  }

  #preview(found) {
    this.#found = found;
    this.#show(preview);
    const lead = found.accepted ? `${costs(found.accepted)} can be imported.` : found.known ? 'Nothing in this file is new.' : 'No line can be imported.';
    const parts = [element('p', 'lead', element('strong', '', lead))];
    if (found.known) parts.push(element('p', 'soft', `${counted(found.known, 'cost is', 'costs are')} already there: same date, account, amount, category and note.`));
    if (found.newCategories.length) {
      const names = found.newCategories.slice(0, 12).map((name) => `“${name}”`).join(', ') + (found.newCategories.length > 12 ? ', …' : '');
      parts.push(element('p', 'soft', `${counted(found.newCategories.length, 'category is', 'categories are')} new: ${names}.`));
    }
    if (found.lines.length) parts.push(this.#lines(found));
    if (found.refusedCount) parts.push(refusals(found));
    preview.replaceChildren(...parts);
    known.parentElement.hidden = !found.known;
    known.checked = false;
    knownText.textContent = `Import ${found.known === 1 ? 'it' : 'them'} once more`;
    this.#offer();
    if (found.accepted) start.focus();
    else if (found.known) known.focus();
  }

  /** The button says how many costs would be imported. */
  #offer() {
    const count = this.#found.accepted + (known.checked ? this.#found.known : 0);
    start.hidden = !count;
    start.textContent = `Import ${costs(count)}`;
  }

  #lines(found) {
    const rows = found.lines.map((line) => {
      const account = this.#events.account(line.account);
      const text = element('span', '', line.note);
      text.dir = 'auto';
      const note = element('td', 'note', ...(line.isKnown ? [element('span', 'chip', 'already there'), ' '] : []), text);
      return element('tr', line.isKnown ? 'soft' : '',
        element('td', 'day', longDay(line.date)), note, element('td', '', line.category), element('td', '', account?.name ?? ''),
        element('td', `amount ${sign(line.amount) < 0 ? 'out' : 'in'}`, account ? money(line.amount, account.currency) : line.amount));
    });
    const head = element('tr', '', ...['Date', 'Note', 'Category', 'Account', 'Amount'].map((name) => {
      const cell = element('th', name === 'Amount' ? 'amount' : '', name);
      cell.scope = 'col';
      return cell;
    }));
    const table = element('table', 'figures', element('caption', 'unseen', 'The first lines'), element('thead', '', head), element('tbody', '', ...rows));
    const box = element('div', 'box', table);
    const others = found.accepted + found.known - found.lines.length;
    if (others) box.append(element('p', 'soft', `… and ${costs(others)} more`));
    return box;
  }

  async #import() {
    const file = this.#file;
    let last;
    this.#show(progress);
    this.#advance(0, 'Saving…');
    this.#running = new AbortController();
    try {
      await api.runImport(file, known.checked, {
        uploaded() {},
        line: (line) => {
          last = line;
          if (line.total) this.#advance(line.done / line.total, `Saved ${line.done.toLocaleString()} of ${costs(line.total)}`);
        },
        signal: this.#running.signal,
      });
      if (!last?.isSaved) throw new Refusal(200, { message: last?.message ?? 'The import broke off.' });
      this.#running = undefined;
      dialog.close();
      const refused = last.refused ? ` ${counted(last.refused, 'line was', 'lines were')} refused.` : '';
      const skipped = last.skipped ? ` ${counted(last.skipped, 'was', 'were')} already there.` : '';
      this.#events.imported(`${costs(last.total)} imported.${skipped}${refused}`);
    } catch (refusal) {
      if (!dialog.open) return this.#events.imported('The import was cancelled. Nothing was saved.', true);
      this.#show(choice);
      this.#say(`Nothing was imported: ${refusal.message}`);
    }
  }
}

function refusals({ refused, refusedCount }) {
  const lines = refused.map(({ line, text, reasons }) => {
    const shown = element('span', 'refused-text', text);
    shown.dir = 'auto';
    return element('li', '', element('strong', '', `Line ${line}`), shown, ...reasons.map((reason) => element('span', 'reason', reason)));
  });
  const heading = element('h3', '', `${counted(refusedCount, 'line is', 'lines are')} refused`);
  const list = element('ul', 'refused', ...lines);
  list.tabIndex = 0;
  list.ariaLabel = 'Refused lines';
  const parts = element('div', '', heading, list);
  if (refusedCount > refused.length) parts.append(element('p', 'soft', `The first ${refused.length} are shown.`));
  return parts;
}
