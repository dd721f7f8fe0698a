// Accounts with their balances and categories with their costs: each can be chosen as a filter, and edited.

import { element, icon } from '/elements.js';
import { costs, money, sign } from './text.js';

const accounts = document.getElementById('accounts');
const categories = document.getElementById('categories');
const noAccounts = document.getElementById('no-accounts');
const pencil = 'M5 19l1-4L16 5l3 3L9 18zM14 7l3 3';

export class Sidebar {
  #actions;

  /** `actions`: `filter(name, id)`, `editAccount(account)`, `editCategory(category)`. */
  constructor(actions) {
    this.#actions = actions;
  }

  show(overview, filter) {
    const focused = document.activeElement?.closest('.rows [data-key]')?.dataset.key;
    noAccounts.hidden = overview.accounts.length > 0;
    accounts.replaceChildren(...overview.accounts.map((account) => this.#row({
      name: 'account',
      row: account,
      isChosen: filter.account === account.id,
      value: money(account.balance, account.currency),
      isNegative: sign(account.balance) < 0,
      detail: `${account.currency} · ${costs(account.costs)}`,
      edit: () => this.#actions.editAccount(account),
    })));
    categories.replaceChildren(...overview.categories.map((category) => this.#row({
      name: 'category',
      row: category,
      isChosen: filter.category === category.id,
      value: category.costs ? String(category.costs) : '',
      edit: () => this.#actions.editCategory(category),
    })));
    if (focused) document.querySelector(`.rows [data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  #row({ name, row, isChosen, value, isNegative, detail, edit }) {
    const title = element('span', 'row-name', row.name);
    title.dir = 'auto';
    const choose = element('button', 'row-choose', title, element('span', isNegative ? 'row-value out' : 'row-value', value));
    choose.type = 'button';
    choose.dataset.key = `choose ${row.id}`;
    choose.ariaPressed = String(isChosen);
    choose.title = isChosen ? 'Show every cost again' : `Only costs of ${row.name}`;
    if (detail) choose.append(element('span', 'row-detail', detail));
    choose.addEventListener('click', () => this.#actions.filter(name, isChosen ? undefined : row.id));
    const change = element('button', 'icon quiet', icon(pencil));
    change.type = 'button';
    change.dataset.key = `edit ${row.id}`;
    change.ariaLabel = `Edit ${row.name}`;
    change.title = 'Edit or delete';
    change.addEventListener('click', edit);
    return element('li', 'row', choose, change);
  }
}
