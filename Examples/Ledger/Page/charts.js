// Two drawings of the costs that the filter lets through. Each has a title and a description for those who hear it, and a table beside it.

import { drawn, element } from '/elements.js';
import { costs, dayAt, longDay, moment, money, monthAt, sign } from './text.js';

const byCategory = document.getElementById('category-chart');
const overTime = document.getElementById('balance-chart');
const mostBars = 9;

let drawnKey;

/** Draws `overview`, which is a currency's, with the given names of categories; what is drawn already stays. */
export function drawCharts(overview, names) {
  const { currency, areBalances, opening } = overview;
  const sums = overview.categories.map(({ category, sum, count }) => [category, sum, count]);
  const days = overview.balances.map(({ date, balance }) => [date, balance]);
  const key = JSON.stringify([currency, areBalances, opening, sums, days, [...names], byCategory.clientWidth]);
  if (key === drawnKey) return;
  drawnKey = key;
  drawCategories(overview, names);
  drawBalances(overview);
}

/** A heading, the drawing, and the same as a table, which stays open if it was. */
function fill(figure, title, content, table, hasTable) {
  const isOpen = figure.querySelector('details')?.open ?? false;
  const heading = element('h2', '', title);
  if (!hasTable) return figure.replaceChildren(heading, content);
  const details = element('details', '', element('summary', '', 'As a table'));
  // A long table is only made for those who read it.
  const make = () => { if (details.open && details.childElementCount === 1) details.append(element('div', 'box', table())); };
  details.addEventListener('toggle', make);
  details.open = isOpen;
  make();
  figure.replaceChildren(heading, content, details);
}

function asTable(caption, heads, lines) {
  const row = (cells) => element('tr', '', ...cells.map((text, index) => {
    const cell = element(index ? 'td' : 'th', index ? 'amount' : '', text);
    if (!index) cell.scope = 'row';
    return cell;
  }));
  const head = element('tr', '', ...heads.map((text, index) => {
    const cell = element('th', index ? 'amount' : '', text);
    cell.scope = 'col';
    return cell;
  }));
  return element('table', 'figures', element('caption', 'unseen', caption), element('thead', '', head), element('tbody', '', ...lines.map(row)));
}

function drawing(id, width, height, title, description, ...content) {
  return drawn('svg', { class: 'chart', role: 'img', viewBox: `0 0 ${width} ${height}`, 'aria-labelledby': `${id}-name`, 'aria-describedby': `${id}-text` },
    drawn('title', { id: `${id}-name` }, title), drawn('desc', { id: `${id}-text` }, description), ...content);
}

// The drawings are as wide as their cards, so that their texts have the size of all others.
const widthOf = (figure) => Math.max(240, Math.min(900, figure.clientWidth - 36));

const short = (text, length) => { const letters = [...text]; return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : text; };

// MARK: By category

function drawCategories(overview, names) {
  const title = `Sum by category, ${overview.currency}`;
  const lines = overview.categories
    .map(({ category, sum, count }) => ({ name: category ? names.get(category) ?? 'Another category' : 'No category', sum, count, size: Number(sum) }))
    .sort((one, other) => Math.abs(other.size) - Math.abs(one.size) || one.name.localeCompare(other.name));
  if (!lines.length) return fill(byCategory, 'By category', element('p', 'none', 'No cost to draw.'), undefined, false);

  const shown = lines.slice(0, mostBars);
  const width = widthOf(byCategory);
  const labels = Math.min(120, width * 0.3);
  const values = shown.reduce((most, line) => Math.max(most, money(line.sum, overview.currency).length), 0) * 7.6 + 8;
  const space = Math.max(30, width - labels - values);
  const low = Math.min(0, ...shown.map((line) => line.size));
  const high = Math.max(0, ...shown.map((line) => line.size));
  const scale = space / (high - low || 1);
  const zero = labels - low * scale;
  const step = 28;
  const bars = shown.map((line, index) => {
    const length = Math.abs(line.size) * scale;
    const middle = index * step + step / 2;
    return drawn('g', {},
      drawn('title', {}, `${line.name}: ${money(line.sum, overview.currency)}, ${costs(line.count)}`),
      drawn('text', { x: 0, y: middle, class: 'label' }, short(line.name, Math.floor(labels / 7.4))),
      drawn('rect', { x: line.size < 0 ? zero - length : zero, y: middle - 8, width: Math.max(length, 1.5), height: 16, rx: 3, class: line.size < 0 ? 'out' : 'in' }),
      drawn('text', { x: width, y: middle, class: 'value' }, money(line.sum, overview.currency)));
  });
  const height = shown.length * step;
  const description = shown.map((line) => `${line.name} ${money(line.sum, overview.currency)}`).join('; ')
    + (lines.length > shown.length ? `; and ${lines.length - shown.length} more in the table` : '');
  const svg = drawing('chart-of-categories', width, height, title, `${description}.`, ...bars,
    drawn('line', { x1: zero, x2: zero, y1: 0, y2: height, class: 'axis' }));
  fill(byCategory, 'By category', svg,
    () => asTable(title, ['Category', 'Costs', 'Sum'], lines.map((line) => [line.name, String(line.count), money(line.sum, overview.currency)])), true);
  if (lines.length > shown.length) byCategory.querySelector('summary').textContent = `As a table, with all ${lines.length}`;
}

// MARK: Over time

/** A few round numbers between two. */
function roundSteps(low, high, most) {
  const rough = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const steps = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) steps.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return steps;
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

function drawBalances(overview) {
  // A category or a text has no balance; the costs that have it are added up.
  const name = overview.areBalances ? 'Balance over time' : 'Sum over time';
  const title = `${name}, ${overview.currency}`;
  const points = overview.balances.map(({ date, balance }) => ({ date, balance, at: moment(date), size: Number(balance) }));
  if (!points.length) return fill(overTime, name, element('p', 'none', 'No cost to draw.'), undefined, false);

  const width = widthOf(overTime);
  // About as tall as the drawing beside it.
  const height = Math.max(200, Math.min(250, overview.categories.length * 28 - 28));
  const [left, right, top, bottom] = [48, 10, 10, 24];
  const opening = Number(overview.opening);
  const sizes = [opening, ...points.map((point) => point.size)];
  let [low, high] = [Math.min(0, ...sizes), Math.max(0, ...sizes)];
  if (low === high) high = 1;
  const day = 86_400_000;
  const first = points[0].at - day;
  const last = points.at(-1).at;
  const x = (at) => left + (at - first) / (last - first) * (width - left - right);
  const y = (size) => top + (high - size) / (high - low) * (height - top - bottom);
  const place = (number) => Math.round(number * 10) / 10;

  // A balance holds until a cost changes it, so the line goes in steps.
  let path = `M${place(x(first))} ${place(y(opening))}`;
  for (const point of points) path += `H${place(x(point.at))}V${place(y(point.size))}`;
  const area = `${path}V${place(y(0))}H${place(x(first))}Z`;

  const lines = roundSteps(low, high, 4).flatMap((size) => [
    drawn('line', { x1: left, x2: width - right, y1: place(y(size)), y2: place(y(size)), class: size === 0 ? 'axis' : 'grid' }),
    drawn('text', { x: left - 8, y: place(y(size)), class: 'value' }, compact.format(size).replace('-', '−')),
  ]);
  const inMonths = last - first > 120 * day;
  const times = [first, (first + last) / 2, last].map((at, index) => (index === 1 && last - first < 4 * day ? '' :
    drawn('text', { x: place(x(at)), y: height - 8, class: ['start', 'middle', 'end'][index] }, inMonths ? monthAt(at) : dayAt(at))));
  const end = points.at(-1);
  const dot = drawn('circle', { cx: place(x(end.at)), cy: place(y(end.size)), r: 4, class: 'dot' });

  const lowest = points.reduce((least, point) => (point.size < least.size ? point : least));
  const highest = points.reduce((most, point) => (point.size > most.size ? point : most));
  const said = (point) => `${money(point.balance, overview.currency)} on ${longDay(point.date)}`;
  const description = `From ${money(overview.opening, overview.currency)} before ${longDay(points[0].date)} to ${said(end)}. Lowest ${said(lowest)}, highest ${said(highest)}.`;
  const svg = drawing('chart-of-balances', width, height, title, description, ...lines, ...times,
    drawn('path', { d: area, class: 'area' }), drawn('path', { d: path, class: 'line' }), dot);
  const reading = element('p', 'reading', said(end));
  reading.ariaHidden = 'true';
  followPointer(svg, points, dot, reading, x, y, (width - left - right), said);
  fill(overTime, name, element('div', '', svg, reading),
    () => asTable(title, ['Day', overview.areBalances ? 'Balance' : 'Sum'], points.map((point) => [longDay(point.date), money(point.balance, overview.currency)])), true);
}

/** Under the pointer, the balance of its day. */
function followPointer(svg, points, dot, reading, x, y, space, said) {
  const show = (point) => {
    dot.setAttribute('cx', x(point.at));
    dot.setAttribute('cy', y(point.size));
    reading.textContent = said(point);
  };
  svg.addEventListener('pointermove', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
    let [low, high] = [0, points.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (x(points[middle].at) <= at) low = middle; else high = middle - 1;
    }
    show(points[low]);
  });
  svg.addEventListener('pointerleave', () => show(points.at(-1)));
}

/** What came in, went out, and both together. */
export function totalsOf(overview) {
  const line = (name, amount, kind) => element('div', kind, element('dt', '', name), element('dd', '', money(amount, overview.currency)));
  const sums = [
    line('In', overview.income, sign(overview.income) ? 'in' : ''),
    line('Out', overview.expense, sign(overview.expense) ? 'out' : ''),
    line('Together', overview.sum, ''),
  ];
  return overview.areBalances ? [...sums, line('Balance', overview.balance, sign(overview.balance) < 0 ? 'out' : '')] : sums;
}
