// The fields of the shown row. Rows are read again at any time, so a field that shows the right value is left where it is, and
// so is one that the user writes in: the text, the cursor and what is selected stay.

import { element, focusIn } from './elements.js';

const controls = 'input:not(.unseen, [type=checkbox]), textarea';

export class Fields {
  constructor() {
    this.clear();
  }

  /** Begins anew, for another row. */
  clear() {
    this.list = element('div', 'fields');
    this.shown = [];
  }

  /** Shows fields. Each is given as the cell that it has, and the function that makes its element. */
  show(fields) {
    this.shown = fields.map(({ cell, make }, position) => {
      const content = JSON.stringify(cell);
      const old = this.shown[position];
      if (old && (old.content === content || isBusy(old))) return old;
      const made = make();
      for (const control of made.querySelectorAll(controls)) control.defaultValue = control.value;
      const focused = old?.element.contains(document.activeElement) ? document.activeElement : null;
      if (old) old.element.replaceWith(made);
      else this.list.append(made);
      if (focused) focusIn(made, focused.dataset.path);
      return { element: made, content };
    });
  }

  /** The field of a property, if it is shown. */
  field(name) {
    return this.shown.find((field) => field.element.dataset.property === name);
  }

  /** What is written in a field; undefined for one that isn't written in. */
  text(field) {
    return field?.element.querySelector(controls)?.value;
  }

  /** Has a field shown as the store has it, since that took `text`. If the user has written on meanwhile, it stays. */
  renew(field, text) {
    if (!field || this.text(field) !== text) return;
    field.content = undefined;
  }
}

/** Whether the user writes in a field, or wrote what the store didn't take. */
function isBusy({ element: made, content }) {
  if (content === undefined) return false;
  return isWritten(made) || (made.contains(document.activeElement) && document.activeElement.matches(controls));
}

/** Whether an element has a text other than the one it was shown with. */
export const isWritten = (made) => [...made.querySelectorAll(controls)].some((control) => control.value !== control.defaultValue);
