// Pictures on the sheet: imported, dragged, resized, moved with the arrow keys.

import { element } from '/elements.js';
import { digest } from './api.js';

/**
 * Frames are kept in points of a sheet that is 720 wide, with the text 40 from its edges. A narrower window shows pictures
 * smaller, and as far down the text as they were: there the text is taller, so heights are not simply scaled.
 */
const sheetWidth = 720;
const margin = 40;
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
  #fullWidth;
  #pictures = [];
  #address;
  #changed;
  #removed;
  #isDragged = false;

  /** `texts` are the sheet's text areas, the last of them the lowest. */
  constructor(layer, sheet, texts, { address, changed, removed }) {
    this.#layer = layer;
    this.#sheet = sheet;
    this.#texts = texts;
    this.#fullWidth = texts.map((text) => {
      const copy = element('textarea', `${text.className} full-width`);
      copy.tabIndex = -1;
      copy.ariaHidden = 'true';
      copy.rows = text.rows;
      sheet.append(copy);
      return copy;
    });
    this.#address = address;
    this.#changed = changed;
    this.#removed = removed;
    const observer = new ResizeObserver(() => this.#place());
    for (const observed of [sheet, ...texts]) observer.observe(observed);
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
    const picturesEnd = Math.max(0, ...this.#pictures.map(({ frame }) => frame.y + frame.height));
    const y = Math.max(this.#geometry().fullEnd, picturesEnd) + 16;
    return rounded({ x: margin, y, width: wanted, height: height * wanted / width });
  }

  /** How the sheet in this window differs from a full one: `scale` across, and where the text ends on either. */
  #geometry() {
    const scale = this.#sheet.clientWidth / sheetWidth || 1;
    const last = this.#texts.at(-1);
    const end = last.offsetTop + last.offsetHeight;
    if (scale === 1) return { scale, end, fullEnd: end };
    const growth = this.#texts.reduce((sum, text, index) => {
      const copy = this.#fullWidth[index];
      if (copy.value !== text.value) copy.value = text.value;
      return sum + copy.scrollHeight - text.scrollHeight;
    }, 0);
    return { scale, end, fullEnd: Math.max(1, end + growth) };
  }

  #place() {
    const geometry = this.#geometry();
    let end = 0;
    this.#pictures.forEach(({ frame }, index) => {
      const style = this.#layer.children[index].style;
      const top = toWindow(frame.y, geometry);
      style.left = `${frame.x * geometry.scale}px`;
      style.top = `${top}px`;
      style.width = `${frame.width * geometry.scale}px`;
      style.height = `${frame.height * geometry.scale}px`;
      end = Math.max(end, top + frame.height * geometry.scale);
    });
    this.#sheet.style.setProperty('--pictures-end', `${end ? end + 32 : 0}px`);
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
