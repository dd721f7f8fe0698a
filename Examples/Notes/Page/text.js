// Dates and texts, the way people read and write them.

import { toDate } from '/dates.js';
import { element } from '/elements.js';

const clock = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

/** "14:03" for today, "3 Nov" for this year, "3 Nov 2024" before that. */
export function shortDate(seconds) {
  const date = toDate(seconds);
  const now = new Date();
  if (date.toDateString() === now.toDateString()) return clock.format(date);
  return (date.getFullYear() === now.getFullYear() ? day : dayOfYear).format(date);
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const weekdayOfYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', year: 'numeric' });

/** "Today", "Yesterday", "Monday 17 November", or with the year before that. */
export function dayName(date) {
  const [year, month, number] = date.split('-').map(Number);
  const now = new Date();
  const isDaysAgo = (days) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime() === new Date(year, month - 1, number).getTime();
  if (isDaysAgo(0)) return 'Today';
  if (isDaysAgo(1)) return 'Yesterday';
  return (year === now.getFullYear() ? weekday : weekdayOfYear).format(new Date(year, month - 1, number));
}

/** The text as nodes, with every word that begins with a word of the search marked. */
export function marked(text, search) {
  const words = search.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  if (!words.length) return [text];
  const beginnings = new RegExp(`(?<![\\p{L}\\p{N}])(${words.join('|')})`, 'giu');
  return text.split(beginnings).map((part, index) => index % 2 ? element('mark', '', part) : part);
}

/** The text as the content of a block. A block does not show a line break at its end, so a text that ends in one gets another. */
export const inBlock = (text) => text.endsWith('\n') ? `${text}\n` : text;

/** A text that is written in place. It does what a `textarea` does, and its lines make room for floats. */
export class FlowingText {
  #place;
  #element;
  #value = '';

  /** `place` has one element, which can be edited. */
  constructor(place) {
    this.#place = place;
    this.#element = place.firstElementChild;
    place.addEventListener('input', () => this.#read());
    this.#read();
  }

  get value() { return this.#value; }
  set ariaInvalid(value) { this.#element.ariaInvalid = value; }

  focus() { this.#element.focus(); }
  addEventListener(type, listener) { this.#place.addEventListener(type, listener); }

  /** Shows another text, in a new element: in the old one the browser would undo what was typed into the text before. */
  show(text) {
    const old = this.#element;
    const selection = document.activeElement === old ? this.#selection : undefined;
    const before = this.#value;
    this.#element = old.cloneNode(false);
    this.#element.textContent = inBlock(text);
    old.replaceWith(this.#element);
    this.#read();
    if (!selection) return;
    this.#element.focus({ preventScroll: true });
    const node = this.#element.firstChild ?? this.#element;
    const [anchor, focus] = selection.map((offset) => moved(offset, before, text));
    getSelection().setBaseAndExtent(node, anchor, node, focus);
  }

  /** Where the selection begins and where it ends, as offsets in the text. */
  get #selection() {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
    return [[anchorNode, anchorOffset], [focusNode, focusOffset]].map((caret) => plainText(this.#element, caret).before ?? 0);
  }

  #read() {
    this.#value = plainText(this.#element).text;
    this.#element.classList.toggle('blank', !this.#value);
  }
}

/** Where a caret stands in a changed text: after what was before it, or, if that has changed, in front of what was behind it. */
function moved(offset, before, after) {
  const isKept = after.startsWith(before.slice(0, offset));
  return Math.min(Math.max(0, isKept ? offset : offset + after.length - before.length), after.length);
}

/** The text that an edited element shows, and how much of it stands `before` a caret. Line breaks are characters, elements or the edges of blocks. */
function plainText(root, [caretNode, caretOffset] = []) {
  const lines = [''];
  let begun = false;
  let broken = false;   // a line has ended, and the next one shows once something follows
  let before;
  const write = (text) => {
    if (!text) return;
    if (broken) lines.push('');
    lines[lines.length - 1] += text;
    begun = true;
    broken = false;
  };
  const breakLine = () => {
    if (broken) lines.push('');
    begun = broken = true;
  };
  const writeLines = (text) => text.split(/\r\n?|\n/).forEach((line, index) => {
    if (index) breakLine();
    write(line);
  });
  const note = () => { before = lines.join('\n').length + (broken ? 1 : 0); };
  const visit = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const end = node === caretNode ? caretOffset : node.length;
      writeLines(node.data.slice(0, end));
      if (node === caretNode) note();
      return writeLines(node.data.slice(end));
    }
    if (node.nodeName === 'BR') return breakLine();
    if (node !== root) broken ||= begun;
    [...node.childNodes].forEach((child, index) => {
      if (node === caretNode && index === caretOffset) note();
      visit(child);
    });
    if (node === caretNode && caretOffset === node.childNodes.length) note();
    if (node !== root) broken ||= begun;
  };
  visit(root);
  return { text: lines.join('\n'), before };
}
