// The dialogs in which accounts, categories and costs are written, and the one that says what a deletion takes along.

import { element } from '/elements.js';
import * as api from './api.js';
import { costs, today } from './text.js';

/** A dialog with a form. Its fields are the content of a row; what the server objects to is shown at the field it belongs to. */
class FormDialog {
  #dialog;
  #form;
  #banner;
  #kind;
  #events;
  #row;
  #timesOpened = 0;

  /**
   * `kind` as in `api.create`; `events`: `saved(message)`, `remove(row)`, `current(id)`, which returns the row as it is now or a promise of
   * it, and `shown(kind, id)`, which waits until the page shows a new row.
   */
  constructor(id, kind, events) {
    this.#dialog = document.getElementById(id);
    this.#form = this.#dialog.querySelector('form');
    this.#banner = this.#form.querySelector('.form-error');
    this.#kind = kind;
    this.#events = events;
    for (const field of this.#form.querySelectorAll('.field')) {
      const input = field.querySelector('input, select');
      const error = element('p', 'field-error');
      error.id = `${input.id}-error`;
      error.setAttribute('role', 'alert');
      error.hidden = true;
      input.setAttribute('aria-describedby', error.id);
      field.append(error);
      input.addEventListener('input', () => this.#object(input, ''));
    }
    this.#form.addEventListener('submit', (event) => { event.preventDefault(); this.#save(); });
    this.#form.querySelector('.cancel').addEventListener('click', () => this.#dialog.close());
    this.#form.querySelector('.delete').addEventListener('click', () => {
      this.#dialog.close();
      events.remove(this.#row);
    });
  }

  get form() { return this.#form; }
  get isOpen() { return this.#dialog.open; }

  /** Opens the dialog for a row, or for a new one with the given content. */
  open(title, row, content) {
    this.#row = row;
    this.#timesOpened += 1;
    this.#dialog.querySelector('h2').textContent = title;
    this.#form.querySelector('.delete').hidden = !row;
    this.#say('');
    for (const input of this.#inputs) this.#object(input, '');
    this.write(content);
    if (!this.#dialog.open) this.#dialog.showModal();
    const first = this.#inputs[0];
    first.focus();
    first.select?.();
  }

  /** The row's content as the server knows it. */
  contentOf(row) { return row; }
  write(content) { for (const input of this.#inputs) input.value = content[input.name] ?? ''; }
  read() { return Object.fromEntries(this.#inputs.map((input) => [input.name, input.value])); }

  get #inputs() { return [...this.#form.querySelectorAll('.field input, .field select')]; }

  async #save() {
    const button = this.#form.querySelector('[type=submit]');
    if (button.disabled) return;
    button.disabled = true;
    this.#say('');
    const content = this.read();
    const [row, opening] = [this.#row, this.#timesOpened];
    try {
      if (row) await api.change(this.#kind, row.id, content, this.contentOf(row));
      else await this.#events.shown(this.#kind, (await api.create(this.#kind, content)).id);
      if (this.#timesOpened === opening) this.#dialog.close();
      this.#events.saved(row ? 'Saved.' : 'Added.');
    } catch (refusal) {
      await this.#refused(refusal);
    } finally {
      button.disabled = false;
    }
  }

  async #refused(refusal) {
    let first;
    for (const input of this.#inputs) {
      this.#object(input, refusal.fields?.[input.name] ?? '');
      if (refusal.fields?.[input.name]) first ??= input;
    }
    if (first) return first.focus();
    if (refusal.isConflict) {
      try { this.#row = await this.#events.current(this.#row.id) ?? this.#row; } catch ({ message }) { return this.#say(`Not saved: ${message}`); }
      return this.#say(`${refusal.message} Save again to put yours in its place, or cancel to keep theirs.`);
    }
    this.#say(`Not saved: ${refusal.message}`);
  }

  #object(input, message) {
    const error = document.getElementById(`${input.id}-error`);
    error.textContent = message;
    error.hidden = !message;
    input.ariaInvalid = message ? 'true' : 'false';
  }

  #say(message) {
    this.#banner.textContent = message;
    this.#banner.hidden = !message;
  }
}

export class AccountDialog extends FormDialog {
  constructor(events) { super('account-dialog', 'accounts', events); }

  edit(account) { this.open('Account', account, this.contentOf(account)); }
  add() { this.open('New account', undefined, { currency: 'EUR' }); }
  contentOf({ name, currency, initialValue }) { return { name, currency, initialValue }; }
}

export class CategoryDialog extends FormDialog {
  constructor(events) { super('category-dialog', 'categories', events); }

  edit(category) { this.open('Category', category, this.contentOf(category)); }
  add() { this.open('New category', undefined, {}); }
  contentOf({ name }) { return { name }; }
}

/** The amount is written without a sign, and the direction says whether it goes out; who writes a sign chooses the direction by it. */
export class CostDialog extends FormDialog {
  constructor(events) {
    super('cost-dialog', 'costs', events);
    this.form.amount.addEventListener('input', () => {
      const [, sign] = this.form.amount.value.match(/^\s*([-−+])/) ?? [];
      if (!sign) return;
      this.form.direction.value = sign === '+' ? '+' : '-';
      this.form.amount.value = this.form.amount.value.replace(/^\s*[-−+]/, '');
    });
  }

  edit(cost) { this.open('Cost', cost, this.contentOf(cost)); }
  add({ account, category }) { this.open('New cost', undefined, { amount: '', date: today(), note: '', account, category }); }

  /** What can be chosen. A choice that is made stays, unless it is no longer there. */
  offer(accounts, categories) {
    const fill = (select, options) => {
      const chosen = select.value;
      select.replaceChildren(...options);
      select.value = chosen;
      if (select.selectedIndex < 0) select.selectedIndex = 0;
    };
    fill(this.form.account, accounts.map((account) => new Option(`${account.name} (${account.currency})`, account.id)));
    fill(this.form.category, [new Option('No category', ''), ...categories.map((category) => new Option(category.name, category.id))]);
  }

  contentOf({ amount, date, note, account, category }) { return { amount, date, note, account, category: category ?? null }; }

  write(content) {
    super.write({ ...content, amount: content.amount.replace('-', '') });
    this.form.direction.value = content.amount && !content.amount.startsWith('-') ? '+' : '-';
    if (this.form.account.selectedIndex < 0) this.form.account.selectedIndex = 0;
    if (this.form.category.selectedIndex < 0) this.form.category.selectedIndex = 0;
  }

  read() {
    const content = super.read();
    return { ...content, isSpent: this.form.direction.value === '-', category: content.category || null };
  }
}

// MARK: Deleting

const dialog = document.getElementById('delete-dialog');
const title = document.getElementById('delete-title');
const rule = document.getElementById('delete-rule');
const banner = dialog.querySelector('.form-error');
const destroy = dialog.querySelector('.destroy');

const rules = {
  accounts: (count) => (count
    ? `This removes ${costs(count)} and the account’s initial value.` : 'No cost belongs to it. Its initial value goes with it.'),
  categories: (count) => (count
    ? `${costs(count)} ${count === 1 ? 'loses its' : 'lose their'} category, and ${count === 1 ? 'stays in its account' : 'stay in their accounts'}.`
    : 'No cost has it.'),
};

let confirmed;

/** Says what a deletion takes along and asks; then deletes, and calls `done`. If that has changed meanwhile, it says so and asks again. */
export async function askToDelete(kind, row, done) {
  const { costs: count } = await api.deletion(kind, row.id);
  const show = (number) => {
    rule.textContent = rules[kind](number);
    confirmed = () => attempt(number);
  };
  const say = (message) => {
    banner.textContent = message;
    banner.hidden = !message;
  };
  const attempt = async (number) => {
    try {
      await api.remove(kind, row.id, number);
      dialog.close();
      done();
    } catch (refusal) {
      say(refusal.isConflict ? `${refusal.message} Look again.` : `Not deleted: ${refusal.message}`);
      if (refusal.isConflict) show((await api.deletion(kind, row.id)).costs);
    }
  };
  title.textContent = `Delete “${row.name}”?`;
  say('');
  show(count);
  dialog.showModal();
  dialog.querySelector('.cancel').focus();
}

destroy.addEventListener('click', async () => {
  if (destroy.disabled) return;
  destroy.disabled = true;
  try { await confirmed(); } finally { destroy.disabled = false; }
});
dialog.querySelector('.cancel').addEventListener('click', () => dialog.close());
