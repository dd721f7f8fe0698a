// One creature in the list. The element stays when the creature changes, so that the focus does too.

import { element, icon } from '/elements.js';
import * as api from './api.js';
import { Stars } from './stars.js';
import { capitalized, listed, shortDate } from './text.js';

export const face = 'M5.5 19.5V12a6.5 6.5 0 0 1 13 0v7.5l-2.2-1.8-2.1 1.8-2.2-1.8-2.2 1.8-2.1-1.8zM9.6 11.2v.1M14.4 11.2v.1M9.8 14.5h4.4';
const crack = 'M6 3h12v3H6zM5 9h14v9.5A2.5 2.5 0 0 1 16.5 21h-9A2.5 2.5 0 0 1 5 18.5zM13 9l-2.5 3.5 3 2-2 3';
const names = { list: 'the list of its parts', data: 'name and stars', thumbnail: 'the small picture', picture: 'the picture' };

export const titleOf = ({ title, name }) => title ?? `Creature ${name}`;

export class Card {
  #events;
  #stars;
  #isRating = 0;
  #failed;
  #image = element('img', 'thumbnail');
  #picture = element('button', 'picture');
  #title = element('h2', 'title');
  #date = element('p', 'soft date');
  #remove = element('button', 'icon remove', '×');
  #damage = element('div', 'damage');

  /** `events`: `open(card)`, `rate(card, rating)`, `remove(card)`, `restore(card)`; each gets the data that are shown. */
  constructor(events) {
    this.#events = events;
    this.element = element('li', 'card');
    this.#image.alt = '';
    this.#image.decoding = 'async';
    this.#image.loading = 'lazy';
    // The server knows from then on that this one is damaged, and says so in the next list.
    this.#image.addEventListener('error', () => { this.#failed = this.#image.getAttribute('src'); this.#showPicture(this.data); });
    this.#picture.type = this.#remove.type = 'button';
    this.#picture.addEventListener('click', () => this.#events.open(this.data));
    this.#remove.addEventListener('click', () => this.#events.remove(this.data));
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Delete' || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.#events.remove(this.data);
    });
    this.#stars = new Stars('', (rating) => this.#rate(rating));
    this.element.append(this.#picture, element('div', 'card-text', this.#title, this.#stars.element, this.#date, this.#damage), this.#remove);
  }

  show(data) {
    const had = this.data;
    this.data = data;
    const title = this.title;
    const { damage } = data;
    this.element.dataset.name = data.name;
    this.element.classList.toggle('damaged', Boolean(damage));
    this.#title.textContent = title;
    this.#picture.ariaLabel = damage ? `${title} is damaged` : `Open ${title}`;
    this.#picture.disabled = Boolean(damage);
    this.#remove.ariaLabel = this.#remove.title = `Delete ${title}`;
    this.#stars.legend.textContent = `Stars of ${title}`;
    this.#stars.element.hidden = data.rating === undefined;
    this.#stars.element.disabled = Boolean(damage);
    if (!this.#isRating) this.#stars.rating = data.rating ?? 0;
    this.#date.hidden = data.created === undefined || Boolean(damage);
    if (data.created !== undefined) this.#date.textContent = shortDate(data.created);
    this.#showPicture(data);
    if (JSON.stringify(had?.damage) !== JSON.stringify(damage)) this.#showDamage(data);
  }

  get title() { return titleOf(this.data); }

  focus() { (this.data.damage ? this.#damage.querySelector('button, a') : this.#picture)?.focus(); }

  #showPicture(data) {
    const address = api.thumbnailAddress(data);
    if (!data.hasThumbnail || address === this.#failed) return this.#picture.replaceChildren(icon(data.damage ? crack : face));
    if (this.#image.getAttribute('src') !== address) this.#image.src = address;
    if (this.#image.parentNode !== this.#picture) this.#picture.replaceChildren(this.#image);
  }

  #showDamage(data) {
    const { damage } = data;
    if (!damage) return this.#damage.replaceChildren();
    const badge = element('p', 'badge', icon('M12 4l9 16H3zM12 10v4.5M12 17.2v.1'), 'Damaged');
    if (damage.obstacle) return this.#damage.replaceChildren(badge, element('p', '', `It cannot be read: ${damage.obstacle}`));
    const left = this.#whatIsLeft(data);
    const lines = [element('p', '', `${capitalized(listed(damage.lost.map((part) => names[part])))} ${damage.lost.length + damage.lost.includes('data') > 1 ? 'are' : 'is'} lost.`)];
    lines.push(element('p', 'soft', left.length ? `${capitalized(listed(left))} can be saved.` : 'Nothing of it can be saved.'));
    const actions = element('div', 'actions');
    if (left.length) actions.append(this.#button('Restore what is left', 'primary', () => this.#events.restore(this.data)));
    if (damage.left.includes('picture')) actions.append(this.#download('Save the picture', api.pictureAddress(data)));
    if (damage.hasRemnant) actions.append(this.#download('Save the damaged picture', api.remnantAddress(data)));
    actions.append(this.#button('Delete', 'danger', () => this.#events.remove(this.data)));
    this.#damage.replaceChildren(badge, ...lines, actions);
  }

  /** The data count as left where they were read, even without the list of the parts. */
  #whatIsLeft({ title, damage }) {
    const left = damage.left.filter((part) => part !== 'data').map((part) => names[part]);
    return title === undefined ? left : [names.data, ...left];
  }

  #button(text, className, clicked) {
    const made = element('button', className, text);
    made.type = 'button';
    made.ariaLabel = `${text}: ${this.title}`;
    made.addEventListener('click', clicked);
    return made;
  }

  #download(text, address) {
    const made = element('a', 'button', text);
    made.href = address;
    made.download = this.title.replaceAll(/[\\/:*?"<>|]/g, ' ');
    made.ariaLabel = `${text} of ${this.title}`;
    return made;
  }

  async #rate(rating) {
    this.#isRating += 1;
    try {
      await this.#events.rate(this.data, rating);
    } finally {
      this.#isRating -= 1;
      if (!this.#isRating) this.#stars.rating = this.data.rating ?? 0;
    }
  }
}
