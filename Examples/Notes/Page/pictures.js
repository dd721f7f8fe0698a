// Pictures on the sheet: imported, dragged, resized, moved with the arrow keys.

import { element } from '/elements.js';
import { digest } from './api.js';
import { inBlock } from './text.js';

/**
 * Frames are kept in points of a sheet that is 720 wide, with the text 40 from its edges and 38 from its top. A narrower window shows
 * pictures smaller, and as far down the text as they were: there the text is taller, so heights are not simply scaled. Texts are measured
 * without pictures for that, so that moving one picture moves no other.
 */
const sheetWidth = 720;
const margin = 40;
const topMargin = 38;
/** How far text stays from pictures, in points, and how wide a line has to be to stand beside one, in heights of the font. */
const gap = 12;
const narrowest = 6;
const unscaled = { scale: 1, end: 1, fullEnd: 1 };
const smallest = 24;
const step = 8;

export const maximumBytes = 20 * 1024 * 1024;
const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** A file that was chosen, with its size in pixels. Throws what to tell the user if it cannot become a picture. */
export async function examine(file) {
  if (file.size > maximumBytes) {
    const size = (file.size / 1024 / 1024).toFixed(1);
    throw new Error(`“${file.name}” has ${size} MB. A picture may have at most 20 MB: make it smaller and add it again.`);
  }
  if (file.type && !types.includes(file.type)) throw new Error(`“${file.name}” is not a PNG, JPEG, GIF or WebP picture.`);
  try {
    const { width, height } = await createImageBitmap(file);
    return { width, height };
  } catch {
    throw new Error(`“${file.name}” cannot be shown: it is damaged, or not a PNG, JPEG, GIF or WebP picture.`);
  }
}

export class PictureLayer {
  #layer;
  #sheet;
  #texts;
  #room = element('div', 'room');
  #bands = '';
  #copy = new TextCopy();
  #fullCopy = new TextCopy();
  #pictures = [];
  #address;
  #changed;
  #removed;
  #isDragged = false;

  /** `texts` are the parts of the sheet with text: `title`, and `text`, in which `body` stands. */
  constructor(layer, sheet, texts, { address, changed, removed }) {
    this.#layer = layer;
    this.#sheet = sheet;
    this.#texts = texts;
    sheet.prepend(this.#room, element('div', 'copies', this.#copy.element, this.#fullCopy.element));
    this.#address = address;
    this.#changed = changed;
    this.#removed = removed;
    const observer = new ResizeObserver(() => this.#place());
    for (const observed of [sheet, texts.title, texts.text]) observer.observe(observed);
  }

  get isBusy() { return this.#isDragged; }

  /** The value the note keeps. */
  get images() { return structuredClone(this.#pictures); }

  show(images) {
    const place = [...this.#layer.children].indexOf(document.activeElement);
    const focused = this.#pictures[place];
    this.#pictures = structuredClone(images);
    this.#layer.replaceChildren(...this.#pictures.map((picture) => this.#element(picture)));
    this.#place();
    if (!focused) return;
    // A note may have the same picture twice.
    const isSame = (picture) => picture && digest(picture) === digest(focused);
    this.#layer.children[isSame(this.#pictures[place]) ? place : this.#pictures.findIndex(isSame)]?.focus();
  }

  /** Where a new picture of that size goes: below the text and the other pictures, no wider than half the sheet. */
  frameBelow({ width, height }) {
    const wanted = Math.min(width, sheetWidth / 2);
    const geometry = this.#geometry();
    const { text } = this.#texts;
    const textEnd = toSheet(text.offsetTop + text.offsetHeight, geometry);
    const picturesEnd = Math.max(0, ...this.#pictures.map(({ frame }) => frame.y + frame.height));
    return rounded({ x: margin, y: Math.max(textEnd, picturesEnd) + 16, width: wanted, height: height * wanted / width });
  }

  /** How the sheet in this window differs from a full one: `scale` across, and where the text would end on either without pictures. */
  #geometry() {
    const scale = this.#sheet.clientWidth / sheetWidth || 1;
    if (scale === 1) return unscaled;
    const { offsetTop, clientWidth } = this.#room;
    return {
      scale,
      end: offsetTop + this.#copy.height(clientWidth, this.#texts),
      fullEnd: topMargin + this.#fullCopy.height(sheetWidth - 2 * margin, this.#texts),
    };
  }

  #place() {
    const geometry = this.#pictures.length ? this.#geometry() : unscaled;
    const { scale } = geometry;
    const boxes = this.#pictures.map(({ frame }) => ({
      left: frame.x * scale, top: toWindow(frame.y, geometry), width: frame.width * scale, height: frame.height * scale,
    }));
    boxes.forEach((box, index) => {
      for (const [property, value] of Object.entries(box)) this.#layer.children[index].style[property] = `${value}px`;
    });
    const end = Math.max(0, ...boxes.map(({ top, height }) => top + height + 32));
    this.#sheet.style.setProperty('--pictures-end', `${end}px`);
    this.#makeRoom(boxes, gap * scale);
  }

  /** Keeps text away from the boxes: each band of the sheet has a float at its left and one at its right, between which lines have room. */
  #makeRoom(boxes, gap) {
    const { offsetLeft, offsetTop, clientWidth } = this.#room;
    const taken = boxes.map(({ left, top, width, height }) => ({
      left: left - offsetLeft - gap, right: left + width - offsetLeft + gap, top: top - offsetTop - gap, bottom: top + height - offsetTop + gap,
    }));
    const least = narrowest * parseFloat(getComputedStyle(this.#texts.text.firstElementChild).fontSize);
    const bands = bandsBeside(taken, clientWidth, least);
    const state = JSON.stringify(bands);
    if (state === this.#bands) return;
    this.#bands = state;
    this.#room.replaceChildren(...bands.flatMap(({ height, left, right }) => {
      // The left one is there even without a width, because the next band begins below it.
      const floats = right ? [element('div', 'left'), element('div', 'right')] : [element('div', 'left')];
      for (const float of floats) {
        float.style.width = `${float.className === 'left' ? left : right}px`;
        float.style.height = `${height}px`;
      }
      return floats;
    }));
  }

  #element(picture) {
    const image = element('img');
    image.src = this.#address(picture);
    image.alt = picture.name;
    image.draggable = false;
    const handle = element('span', 'resize');
    const remove = element('button', 'remove', '×');
    remove.type = 'button';
    remove.tabIndex = -1;
    remove.ariaLabel = `Remove ${picture.name}`;
    remove.title = 'Remove (Delete)';
    const frame = element('div', 'picture', image, handle, remove);
    frame.tabIndex = 0;
    frame.role = 'group';
    frame.ariaLabel = `Picture ${picture.name}. Arrow keys move it, with Shift they resize it, Delete removes it.`;
    frame.title = picture.name;

    remove.addEventListener('click', () => this.#remove(picture));
    frame.addEventListener('keydown', (event) => this.#key(event, picture));
    frame.addEventListener('pointerdown', (event) => this.#grab(event, frame, picture, event.target === handle));
    return frame;
  }

  #remove(picture) {
    const index = this.#pictures.indexOf(picture);
    this.show(this.#pictures.filter((other) => other !== picture));
    (this.#layer.children[index] ?? this.#layer.lastElementChild ?? document.getElementById('add-picture')).focus();
    this.#removed(picture, index);
  }

  #key(event, picture) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const direction = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (direction) {
      const [x, y] = direction;
      picture.frame = event.shiftKey ? resized(picture.frame, x || y) : moved(picture.frame, x, y);
      this.#place();
      this.#changed();
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      this.#remove(picture);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #grab(event, frame, picture, resizes) {
    if (event.button !== 0 || event.target.closest('.remove')) return;
    event.preventDefault();
    frame.focus();
    frame.setPointerCapture(event.pointerId);
    const start = { x: event.clientX, y: event.clientY, frame: picture.frame };
    const geometry = this.#geometry();
    this.#isDragged = true;
    frame.classList.add('grabbed');

    const move = ({ clientX, clientY }) => {
      const x = (clientX - start.x) / geometry.scale;
      const y = (clientY - start.y) / geometry.scale;
      if (resizes) {
        picture.frame = resized(start.frame, Math.abs(x) > Math.abs(y) ? x : y * start.frame.width / start.frame.height);
      } else {
        const top = toWindow(start.frame.y, geometry) + clientY - start.y;
        picture.frame = moved(start.frame, x, toSheet(top, geometry) - start.frame.y);
      }
      this.#place();
    };
    const drop = ({ type }) => {
      frame.removeEventListener('pointermove', move);
      frame.removeEventListener('pointerup', drop);
      frame.removeEventListener('pointercancel', drop);
      frame.classList.remove('grabbed');
      this.#isDragged = false;
      if (type === 'pointercancel') picture.frame = start.frame;
      this.#place();
      if (picture.frame !== start.frame) this.#changed();
    };
    frame.addEventListener('pointermove', move);
    frame.addEventListener('pointerup', drop);
    frame.addEventListener('pointercancel', drop);
  }
}

/** A copy of the texts, which tells how tall they are in lines of a width without pictures. */
class TextCopy {
  #title = element('div', 'writing heading');
  #body = element('div', 'writing');
  element = element('div', '', this.#title, this.#body);

  height(width, { title, body }) {
    this.element.style.width = `${width}px`;
    for (const [copy, text] of [[this.#title, title.value || ' '], [this.#body, inBlock(body.value)]]) {
      if (copy.textContent !== text) copy.textContent = text;
    }
    return this.element.offsetHeight;
  }
}

/**
 * The sheet in bands from above, each with the width that is taken at its `left` and at its `right`. A line is in one piece, so only the widest
 * gap beside or between boxes is free; if it is narrower than `least`, the band is taken from edge to edge.
 */
function bandsBeside(boxes, width, least) {
  const inText = boxes.filter(({ left, right, bottom }) => left < width && right > 0 && bottom > 0).sort((one, other) => one.left - other.left);
  const edges = [...new Set([0, ...inText.flatMap(({ top, bottom }) => [Math.max(0, top), bottom])])].sort((one, other) => one - other);
  return edges.slice(1).map((bottom, index) => {
    const top = edges[index];
    let free = { left: 0, right: 0 };
    let start = 0;
    const beside = inText.filter((box) => box.top < bottom && box.bottom > top);
    for (const box of [...beside, { left: width, right: width }]) {
      if (box.left - start > free.right - free.left) free = { left: start, right: box.left };
      start = Math.max(start, box.right);
    }
    // Not even an empty line has room beside a float that is wider than the text.
    const isTaken = beside.length && free.right - free.left < least;
    return { height: bottom - top, left: isTaken ? width + 1 : free.left, right: isTaken ? 0 : width - free.right };
  });
}

const clamped = (value, least, most) => Math.min(Math.max(value, least), most);
const rounded = (frame) => Object.fromEntries(Object.entries(frame).map(([name, value]) => [name, Math.round(value * 10) / 10]));

/** A height on the full sheet as a height in this window: along the text in proportion to it, below it to scale. */
const toWindow = (y, { scale, end, fullEnd }) => y <= fullEnd ? y * end / fullEnd : end + (y - fullEnd) * scale;
const toSheet = (top, { scale, end, fullEnd }) => top <= end ? top * fullEnd / end : fullEnd + (top - end) / scale;

/** The frame elsewhere on the sheet; it never leaves the paper. */
function moved(frame, x, y) {
  return rounded({ ...frame, x: clamped(frame.x + x, 0, Math.max(0, sheetWidth - frame.width)), y: Math.max(0, frame.y + y) });
}

/** The frame wider by `growth`, in proportion, within the paper. */
function resized(frame, growth) {
  const proportion = frame.height / frame.width;
  const least = Math.max(smallest, smallest / proportion);
  const width = clamped(frame.width + growth, least, Math.max(least, sheetWidth - frame.x));
  return rounded({ ...frame, width, height: width * proportion });
}
