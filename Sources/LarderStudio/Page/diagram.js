// A drawing of the tables and of what refers to what.

import { button, drawn, element, link } from './elements.js';
import { layOut } from './layout.js';
import { address } from './place.js';

const lineHeight = 18;
const headHeight = 26;
/** The number of properties that a box shows. */
const shownProperties = 24;
const step = 16;

export class Diagram {
  constructor(section, { store, tables }) {
    Object.assign(this, { section, tables, kept: `diagram:${store.name}`, zoom: 1 });
  }

  show() {
    if (this.svg) return;
    const shown = this.tables.filter(({ kind }) => kind !== 'pairs' && kind !== 'view');
    this.boxes = shown.map((table) => box(table));
    const names = new Set(shown.map(({ name }) => name));
    this.lines = shown.flatMap((table) => table.relationships.filter(({ kind, target, name }) => names.has(target) && this.isDrawn(table, kind, target, name))
      .map(({ name, kind, target }) => ({ from: table.name, to: target, name, kind })));
    this.places = { ...layOut(this.boxes, this.lines), ...this.storedPlaces() };
    this.svg = drawn('svg', { class: 'diagram-drawing', role: 'group', 'aria-label': 'Tables and their relationships' });
    const bar = element('p', 'diagram-bar', element('span', 'soft', 'Drag a table, or move it with the arrow keys.'), element('span', 'spacer'),
      this.zoomButton('−', 'Smaller', 1 / 1.2), this.zoomButton('+', 'Larger', 1.2), button('Tidy up', '', () => this.tidyUp()), button('Print', '', () => print()));
    this.section.append(bar, element('div', 'diagram-frame', this.svg));
    this.draw();
  }

  /** A relationship of many to many is drawn once. */
  isDrawn(table, kind, target, name) {
    if (kind === 'toOne') return true;
    if (kind !== 'manyToMany') return false;
    const other = this.tables.find((own) => own.name === target);
    return table.name < target || (table.name === target && name <= (other.relationships.find((own) => own.kind === kind)?.name ?? name))
      || !other.relationships.some((own) => own.kind === kind && own.target === table.name);
  }

  zoomButton(label, name, factor) {
    const made = button(label, '', () => {
      this.zoom = Math.min(3, Math.max(0.3, this.zoom * factor));
      this.fit();
    });
    made.setAttribute('aria-label', name);
    return made;
  }

  storedPlaces() {
    try {
      return JSON.parse(localStorage.getItem(this.kept) ?? '{}');
    } catch {
      return {};
    }
  }

  tidyUp() {
    localStorage.removeItem(this.kept);
    this.places = layOut(this.boxes, this.lines);
    this.draw();
  }

  draw() {
    this.paths = this.lines.map((line) => ({ line, path: drawn('path', { class: `diagram-line is-${line.kind}` }) }));
    this.groups = new Map(this.boxes.map((made) => [made.name, this.drawBox(made)]));
    this.svg.replaceChildren(drawn('g', {}, ...this.paths.map(({ path }) => path)), ...this.groups.values());
    for (const { name } of this.boxes) this.place(name);
    this.fit();
  }

  fit() {
    const width = Math.max(...this.boxes.map(({ name, width: own }) => this.places[name].x + own), 100) + 40;
    const height = Math.max(...this.boxes.map(({ name, height: own }) => this.places[name].y + own), 100) + 40;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('width', width * this.zoom);
    this.svg.setAttribute('height', height * this.zoom);
  }

  drawBox(made) {
    const title = drawn('text', { x: 10, y: 18, class: 'diagram-title' }, cut(made.table.title, 34));
    const lines = made.properties.map((property, position) => drawn('text', { x: 10, y: headHeight + (position + 1) * lineHeight - 4, class: property.isKey ? 'diagram-key' : '' },
      cut(property.name, 24), drawn('tspan', { class: 'diagram-type', x: made.width - 10, 'text-anchor': 'end' }, cut(property.swiftType, 20))));
    const group = drawn('g', { class: 'diagram-box', tabindex: 0, role: 'img', 'aria-label': `${made.table.title}: ${made.table.properties.map(({ name }) => name).join(', ')}` },
      drawn('rect', { width: made.width, height: made.height, rx: 6 }), drawn('path', { d: `M 0 ${headHeight} H ${made.width}`, class: 'diagram-rule' }), title, ...lines);
    if (made.hidden > 0) group.append(drawn('text', { x: 10, y: made.height - 8, class: 'diagram-type' }, `and ${made.hidden} more`));
    group.addEventListener('pointerdown', (event) => this.drag(event, made.name, group));
    group.addEventListener('dblclick', () => link('', address({ table: made.name })).click());
    group.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') link('', address({ table: made.name })).click();
      const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (!way) return;
      event.preventDefault();
      const { x, y } = this.places[made.name];
      this.move(made.name, x + way[0], y + way[1]);
      this.keep();
    });
    return group;
  }

  drag(event, name, group) {
    if (event.button !== 0) return;
    const start = { x: event.clientX, y: event.clientY, ...{ own: this.places[name] } };
    group.setPointerCapture(event.pointerId);
    const moved = (next) => this.move(name, start.own.x + (next.clientX - start.x) / this.zoom, start.own.y + (next.clientY - start.y) / this.zoom);
    const ended = () => {
      group.removeEventListener('pointermove', moved);
      this.keep();
    };
    group.addEventListener('pointermove', moved);
    group.addEventListener('lostpointercapture', ended, { once: true });
  }

  move(name, x, y) {
    this.places[name] = { x: Math.max(0, Math.round(x)), y: Math.max(0, Math.round(y)) };
    this.place(name);
  }

  keep() {
    localStorage.setItem(this.kept, JSON.stringify(this.places));
    this.fit();
  }

  place(name) {
    const { x, y } = this.places[name];
    this.groups.get(name).setAttribute('transform', `translate(${x} ${y})`);
    for (const { line, path } of this.paths) {
      if (line.from === name || line.to === name) path.setAttribute('d', this.way(line));
    }
  }

  /** From the line of the property to the head of the table that it leads to, around other sides where they are nearer. */
  way({ from, to, name }) {
    const [source, target] = [from, to].map((own) => ({ ...this.boxes.find((made) => made.name === own), ...this.places[own] }));
    const position = source.properties.findIndex((property) => property.name === name);
    const y = source.y + (position < 0 ? headHeight / 2 : headHeight + (position + 0.5) * lineHeight);
    const end = target.y + headHeight / 2;
    const isLeft = source.x + source.width / 2 > target.x + target.width / 2;
    const [x, endX] = from === to ? [source.x + source.width, target.x + target.width] : isLeft ? [source.x, target.x + target.width] : [source.x + source.width, target.x];
    const reach = Math.max(30, Math.abs(endX - x) / 2);
    const [first, second] = from === to ? [reach, reach] : isLeft ? [-reach, reach] : [reach, -reach];
    return `M ${x} ${y} C ${x + first} ${y} ${endX + second} ${end} ${endX} ${end}`;
  }
}

function box(table) {
  const properties = table.properties.slice(0, shownProperties);
  const hidden = table.properties.length - properties.length;
  const longest = Math.max(cut(table.title, 34).length, ...properties.map(({ name, swiftType }) => cut(name, 24).length + cut(swiftType, 20).length + 3));
  return { name: table.name, table, properties, hidden, width: Math.round(longest * 6.8 + 24), height: headHeight + (properties.length + (hidden > 0 ? 1 : 0)) * lineHeight + 8 };
}

const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
