// Sync with another ledger by files: save one for it, and read its own.

import { withdraw } from '/toast.js';
import * as api from './api.js';

const dialog = document.getElementById('sync-dialog');
const error = document.getElementById('sync-error');
const input = document.getElementById('sync-file');
const state = document.getElementById('sync-state');

export class SyncDialog {
  constructor() {
    input.addEventListener('change', () => this.#read(input.files[0]));
    document.getElementById('sync-cancel').addEventListener('click', () => dialog.close());
  }

  open() {
    state.textContent = 'from another ledger';
    error.hidden = true;
    dialog.showModal();
  }

  async #read(file) {
    if (!file) return;
    error.hidden = true;
    state.textContent = `Reading ${file.name}…`;
    try {
      const { changed, waiting } = await api.readSyncFile(file);
      if (changed > 0) withdraw();
      const rows = changed === 0 ? 'Nothing in it is new.' : changed === 1 ? '1 row has changed.' : `${changed} rows have changed.`;
      const names = waiting.map((name) => `“${name}”`).join(', ');
      state.textContent = waiting.length ? `${rows} Another account is called ${names} here: rename one of the two.` : rows;
    } catch ({ message }) {
      error.textContent = message;
      error.hidden = false;
      state.textContent = 'from another ledger';
    }
    input.value = '';
  }
}
