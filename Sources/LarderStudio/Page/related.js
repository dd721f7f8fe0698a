// The rows that a row is related to, both ways, as short lists of links.

import { keyText } from './api.js';
import { element, link } from './elements.js';
import { number } from './format.js';
import { address } from './place.js';

/** The greatest number that the studio counts. */
const counted = 1000;

/** Shows the related rows of a row's detail. */
export function relatedRows(table, detail, tables) {
  if (detail.related.length === 0) return [];
  const parts = detail.related.map((related) => {
    const relationship = table.relationships.find(({ name }) => name === related.name);
    return relationship ? section(table, detail, relationship, related, tables) : null;
  });
  return [element('h3', '', 'Related rows'), ...parts.filter(Boolean)];
}

function section(table, detail, relationship, related, tables) {
  const target = tables.find(({ name }) => name === relationship.target);
  const title = element('h4', '', relationship.name, element('span', 'soft', ` ${target?.title ?? relationship.target}`));
  const made = element('section', 'related', title);
  if (related.rows.length === 0) made.append(element('p', 'nil', 'none'));
  const list = element('ul', '');
  for (const row of related.rows) {
    const key = keyText(row.key);
    list.append(element('li', '', key ? link(row.label, address({ table: relationship.target, row: key })) : row.label));
  }
  if (related.rows.length > 0) made.append(list);
  if (relationship.kind !== 'toOne' && related.count > related.rows.length) made.append(allRows(table, detail, relationship, related));
  return made;
}

function allRows(table, detail, relationship, { count }) {
  const label = count > counted ? `all, more than ${number(counted)} …` : `all ${number(count)} …`;
  const place = { table: relationship.target, of: table.name, relationship: relationship.name, key: keyText(detail.key), label: detail.label };
  const made = link(label, address(place));
  made.setAttribute('aria-label', `${label.replace(' …', '')}: ${relationship.name}`);
  return element('p', '', made);
}
