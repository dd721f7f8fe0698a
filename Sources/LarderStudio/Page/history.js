// When and on which replica a row was written, and what of it lost. Only stores that take part in sync know.

import * as api from './api.js';
import { button, element, say } from './elements.js';
import { date, shown } from './format.js';

/** Shows the history of a row, if there is one. With `refresh`, what lost can be restored. */
export function historySection(table, key, history, refresh) {
  if (!history) return [];
  const lines = history.writes.map((write) => element('li', '', what(write), element('span', 'soft', ` ${date(write.date)}, ${write.replica}`)));
  const made = element('details', 'history', element('summary', '', 'Written'), element('ul', '', ...lines));
  const conflicts = history.conflicts.map((conflict) => lost(table, key, conflict, refresh));
  return [...(conflicts.length ? [element('h3', '', 'Lost against a write elsewhere'), ...conflicts] : []), made];
}

const what = ({ property }) => element('span', property ? 'history-property' : '', property ?? 'inserted');

function lost(table, key, conflict, refresh) {
  const property = table.properties.find(({ name }) => name === conflict.property);
  const value = conflict.property ? shown(conflict.lost, property) : 'It was deleted elsewhere while it was changed here.';
  const made = element('section', 'lost', element('p', '', element('span', 'history-property', conflict.property ?? 'inserted'), ' ', value), element('p', 'soft', `${date(conflict.date)}, ${conflict.replica}`));
  if (refresh) {
    const decide = async (restores) => {
      try {
        await api.decideConflict(table.name, key, conflict.id, restores);
        say(restores ? 'Restored.' : 'Dismissed.');
      } catch (refusal) {
        say(refusal.message, true);
      }
      await refresh();
    };
    made.append(element('p', 'lost-actions', button('Restore', '', () => decide(true)), button('Dismiss', 'quiet', () => decide(false))));
  }
  return made;
}
