// A row of the table of costs.

import { element, icon } from '/elements.js';
import { longDay, money, sign } from './text.js';

const bin = 'M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7M10.5 10.5v6M13.5 10.5v6';

/** Draws a cost; `category` may be undefined. */
export function costRow(cost, account, category) {
  const note = cost.note.trim();
  const edit = element('button', note ? 'edit' : 'edit soft', note || 'No note');
  edit.type = 'button';
  edit.dir = 'auto';
  const remove = element('button', 'icon quiet', icon(bin));
  remove.type = 'button';
  remove.ariaLabel = `Delete ${note || 'the cost'}`;
  remove.title = 'Delete (it can be undone)';
  const amount = account ? money(cost.amount, account.currency) : cost.amount;
  const cells = [
    element('td', 'day', longDay(cost.date)),
    element('td', 'note', edit),
    element('td', 'category', category ? element('span', 'chip', category.name) : element('span', 'soft', '–')),
    element('td', 'account', account?.name ?? ''),
    element('td', `amount ${['out', 'zero', 'in'][sign(cost.amount) + 1]}`, amount),
    element('td', 'remove', remove),
  ];
  cells[2].dir = cells[3].dir = 'auto';
  const row = element('tr', '', ...cells);
  row.dataset.id = cost.id;
  return row;
}

/** Stands for rows out of sight, as tall as they are together. */
export function gap(height) {
  const cell = element('td');
  cell.colSpan = 6;
  const row = element('tr', 'gap', cell);
  row.ariaHidden = 'true';
  row.style.height = `${height}px`;
  return row;
}
