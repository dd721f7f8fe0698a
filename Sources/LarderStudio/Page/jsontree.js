// JSON as a tree whose levels open and close, and whose values are edited one by one.

import { button, element, newID } from './elements.js';
import { indented, joined, parts, problem } from './json.js';

/** Where the choice between text and tree is kept. */
const choice = 'json:view';
/** The number of entries that are shown at once, and up to which a level is open at first. */
const shownAtOnce = 100;
const openAtFirst = 12;
/** What was opened or closed, by the name of the editor and the path, so that it stays when the row is read again. */
const opened = new Map();

/** Puts a choice between the text in the field and its tree into an editor. A change in the tree is one of the text. */
export function offerTree(editor, field, label) {
  const tree = element('div', 'json-tree');
  const [asText, asTree] = ['Text', 'Tree'].map((name) => button(name, 'small quiet', () => {
    localStorage.setItem(choice, name);
    show();
  }));
  function show() {
    const root = parts(field.value);
    const isTree = Boolean(root?.entries) && localStorage.getItem(choice) === 'Tree';
    asTree.disabled = !root?.entries;
    asText.setAttribute('aria-pressed', String(!isTree));
    asTree.setAttribute('aria-pressed', String(isTree));
    field.hidden = isTree;
    tree.hidden = !isTree;
    tree.replaceChildren(...(isTree ? [new Level(root, { field, root, label }).list] : []));
  }
  field.addEventListener('input', () => { if (tree.hidden) asTree.disabled = !parts(field.value)?.entries; });
  field.addEventListener('replaced', show);
  const bar = element('div', 'json-views', asText, asTree);
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', 'Text or tree');
  editor.prepend(bar);
  field.after(tree);
  show();
}

/** The entries of an object or an array. */
class Level {
  constructor(node, tree, path = []) {
    Object.assign(this, { node, tree, path });
    this.list = element('ul', 'json-level');
    this.append(0);
  }

  append(start) {
    const { entries } = this.node;
    const next = start + shownAtOnce;
    this.list.append(...entries.slice(start, next).map((entry) => this.item(entry)));
    if (entries.length <= next) return;
    const more = element('li', '', button(`${entries.length - next} more`, 'small', () => {
      more.remove();
      this.append(next);
    }));
    this.list.append(more);
  }

  item({ name, node }) {
    const title = this.node.isArray ? name : JSON.parse(name);
    const path = [...this.path, title];
    return element('li', '', node.entries ? this.branch(node, title, path) : this.leaf(node, title, path));
  }

  branch(node, title, path) {
    const key = JSON.stringify([this.tree.label, ...path]);
    const size = node.isArray ? `[${node.entries.length}]` : `{${node.entries.length}}`;
    const made = element('details', '', element('summary', '', element('span', 'json-name', title), ' ', element('span', 'soft code', size)));
    made.open = opened.get(key) ?? (path.length <= 3 && node.entries.length <= openAtFirst);
    const fill = () => {
      if (made.open && made.childElementCount === 1) made.append(new Level(node, this.tree, path).list);
    };
    made.addEventListener('toggle', () => {
      opened.set(key, made.open);
      fill();
    });
    fill();
    return made;
  }

  leaf(node, title, path) {
    const { field } = this.tree;
    const name = element(field.readOnly ? 'span' : 'label', 'json-name', title);
    if (field.readOnly) return element('div', 'json-leaf', name, element('span', 'value code', node.text));
    const input = element('input', 'code');
    input.id = newID('json');
    input.dataset.path = path.join('.');
    input.defaultValue = node.text;
    input.value = node.text;
    input.spellcheck = false;
    input.autocomplete = 'off';
    name.htmlFor = input.id;
    const said = element('p', 'field-error');
    said.setAttribute('role', 'alert');
    said.hidden = true;
    input.addEventListener('change', () => {
      const wrong = problem(input.value);
      said.textContent = wrong && `${wrong} Texts stand in quotes.`;
      said.hidden = !wrong;
      input.toggleAttribute('aria-invalid', Boolean(wrong));
      if (!wrong) this.write(node, input.value);
    });
    // Before the tree is left: what is no JSON yet is then part of the text, where it can be put right.
    input.addEventListener('keep', () => this.write(node, input.value));
    return element('div', 'json-leaf', name, input, said);
  }

  /** Puts another value into the text, as if it were written there. */
  write(node, text) {
    const { field, root } = this.tree;
    Object.assign(node, { text: undefined, isArray: undefined, entries: undefined }, parts(text) ?? { text });
    const whole = joined(root);
    field.value = problem(whole) ? whole : indented(whole);
    field.dispatchEvent(new Event('input'));
    field.dispatchEvent(new Event('change'));
  }
}
