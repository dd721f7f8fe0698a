// One to five stars, or none: a group of radio buttons, so that mouse, touch, arrow keys and screen readers all work.

import { element, icon } from '/elements.js';

const star = 'M12 3.6l2.6 5.4 5.9.8-4.3 4.1 1 5.9L12 17l-5.2 2.8 1-5.9-4.3-4.1 5.9-.8z';

let groups = 0;

export class Stars {
  #radios = [];

  /** `legend` names the group; `chosen(rating)` hears of a choice by the user. */
  constructor(legend, chosen = () => {}) {
    const name = `stars-${groups += 1}`;
    this.legend = element('legend', 'unseen', legend);
    this.element = element('fieldset', 'stars', this.legend);
    for (const rating of [1, 2, 3, 4, 5, 0]) this.element.append(this.#choice(name, rating));
    this.element.addEventListener('change', () => chosen(this.rating));
  }

  get rating() { return Number(this.#radios.find((radio) => radio.checked)?.value ?? 0); }
  set rating(rating) {
    for (const radio of this.#radios) radio.checked = Number(radio.value) === rating;
  }

  #choice(name, rating) {
    const radio = element('input');
    radio.type = 'radio';
    radio.name = name;
    radio.value = rating;
    this.#radios.push(radio);
    const text = rating === 0 ? 'No stars' : rating === 1 ? '1 star' : `${rating} stars`;
    const label = element('label', rating ? 'star' : 'no-star', radio, icon(rating ? star : 'M7 7l10 10M17 7L7 17'), element('span', 'unseen', text));
    label.title = text;
    return label;
  }
}
