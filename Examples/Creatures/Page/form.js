// The dialog in which a creature is written, with its whole picture, which is asked for only here.

import { longDate } from '/dates.js';
import * as api from './api.js';
import { fileIn, prepare } from './picture.js';
import { Stars } from './stars.js';
import { size } from './text.js';

const at = (id) => document.getElementById(id);
const fields = { title: at('title'), rating: at('form-stars'), picture: at('file') };

export class Form {
  #dialog = at('creature');
  #stars = new Stars('Stars');
  #events;
  #card;
  /** What `prepare` made of a file that was chosen. */
  #picture;
  #removesPicture = false;
  /** The creature as another window has saved it meanwhile. */
  #theirs;

  /** `events`: `saved(message)`, `remove(card)`. */
  constructor(events) {
    this.#events = events;
    this.#stars.legend.className = '';
    at('form-stars').prepend(this.#stars.element);
    at('form').addEventListener('submit', (event) => { event.preventDefault(); this.#save(); });
    at('cancel').addEventListener('click', () => this.#dialog.close());
    at('delete').addEventListener('click', () => { this.#dialog.close(); events.remove(this.#card); });
    at('keep-mine').addEventListener('click', () => { this.#card = this.#theirs; this.#save(); });
    at('take-theirs').addEventListener('click', () => { this.#write(this.#theirs); at('title').focus(); });
    at('remove-picture').addEventListener('click', () => this.#removePicture());
    at('title').addEventListener('input', () => this.#object('title'));
    at('file').addEventListener('change', () => { this.choose(at('file').files[0]); at('file').value = ''; });
    at('full').addEventListener('error', async () => {
      const address = at('full').getAttribute('src');
      if (!address) return;
      at('full').hidden = true;
      this.#object('picture', await api.whyNot(address) || 'The picture cannot be shown.');
    });
    for (const name of ['dragenter', 'dragover']) at('drop').addEventListener(name, () => at('drop').classList.add('over'));
    for (const name of ['dragleave', 'drop']) at('drop').addEventListener(name, () => at('drop').classList.remove('over'));
    this.#dialog.addEventListener('drop', (event) => this.choose(fileIn(event.dataTransfer)));
    // What the dialog showed takes no memory while it is closed.
    this.#dialog.addEventListener('close', () => { at('full').removeAttribute('src'); this.#picture = undefined; });
  }

  get isOpen() { return this.#dialog.open; }

  /** Opens the dialog for a creature, or for a new one without `card`. */
  open(card) {
    this.#write(card);
    this.#dialog.showModal();
    // On a touch screen the keyboard would cover the picture that somebody wants to see.
    if (card && matchMedia('(hover: none)').matches) return at('creature-heading').focus();
    at('title').focus();
    if (card) at('title').select();
  }

  #write(card) {
    this.#card = card;
    this.#picture = undefined;
    this.#removesPicture = false;
    at('creature-heading').textContent = card ? 'Edit creature' : 'New creature';
    at('title').value = card?.title ?? '';
    this.#stars.rating = card?.rating ?? 0;
    at('delete').hidden = !card;
    at('facts').replaceChildren(...(card ? facts({ Added: longDate(card.created), Folder: `${card.name}.creature` }) : []));
    this.#say('');
    for (const name of Object.keys(fields)) this.#object(name);
    this.#showPicture();
  }

  /** Takes a file as the creature's picture, or says why not. */
  async choose(file) {
    if (!file) return;
    this.#object('picture');
    try {
      const picture = await prepare(file);
      if (!this.isOpen) return;
      this.#picture = picture;
      this.#removesPicture = false;
      if (!at('title').value) at('title').value = nameFrom(file.name);
      this.#showPicture();
    } catch (problem) {
      this.#object('picture', problem.message);
    }
  }

  #removePicture() {
    this.#picture = undefined;
    this.#removesPicture = true;
    this.#object('picture');
    this.#showPicture();
    at('file').focus();
  }

  #showPicture() {
    const kept = this.#removesPicture ? undefined : this.#card?.picture;
    const shown = this.#picture ? { ...this.#picture, bytes: this.#picture.file.size } : kept;
    at('full').hidden = Boolean(this.#picture) || !kept;
    if (at('full').hidden) at('full').removeAttribute('src');
    else at('full').src = api.pictureAddress(this.#card);
    at('full').alt = kept ? `Picture of ${this.#card.title}` : '';
    at('preview').hidden = !this.#picture;
    if (this.#picture) this.#drawPreview(this.#picture.canvas);
    at('drop-text').hidden = Boolean(shown);
    at('drop').classList.toggle('filled', Boolean(shown));
    at('picture-facts').textContent = shown ? `${shown.width} × ${shown.height}, ${size(shown.bytes)} · choose or drop another` : '';
    at('remove-picture').hidden = !shown;
  }

  #drawPreview(canvas) {
    const preview = at('preview');
    preview.width = canvas.width;
    preview.height = canvas.height;
    preview.getContext('2d').drawImage(canvas, 0, 0);
    preview.ariaLabel = `Preview of ${this.#picture.file.name}`;
  }

  async #save() {
    if (at('save').disabled) return;
    at('save').disabled = true;
    at('save').textContent = 'Saving…';
    this.#say('');
    const content = { title: at('title').value, rating: this.#stars.rating };
    const picture = { picture: this.#picture, removesPicture: this.#removesPicture };
    try {
      if (this.#card) await api.change(this.#card, content, picture);
      else await api.add(content, picture);
      this.#dialog.close();
      this.#events.saved(this.#card ? 'Saved.' : `Added “${content.title.trim()}”.`);
    } catch (refusal) {
      await this.#refused(refusal);
    } finally {
      at('save').disabled = false;
      at('save').textContent = 'Save';
    }
  }

  async #refused(refusal) {
    if (refusal.isConflict && this.#card) return this.#offerTheirs(refusal.message);
    const { message, fields: problems = {} } = refusal;
    for (const name of Object.keys(fields)) this.#object(name, problems[name]);
    const first = Object.keys(fields).find((name) => problems[name]);
    if (first) (first === 'rating' ? fields.rating.querySelector('input') : fields[first]).focus();
    else this.#say(message);
  }

  /** Says what another window has saved meanwhile, and asks which of the two is to stay. */
  async #offerTheirs(message) {
    try {
      this.#theirs = await api.card(this.#card.name);
    } catch (refusal) {
      return this.#say(refusal.message);
    }
    const { title = 'damaged', rating = 0, picture } = this.#theirs;
    const other = picture?.id === this.#card.picture?.id ? '' : ', and another picture';
    at('conflict-text').textContent = `${message} There it is “${title}” with ${rating || 'no'} ${rating === 1 ? 'star' : 'stars'}${other}.`;
    at('conflict').hidden = false;
    at('keep-mine').focus();
  }

  /** Says what is wrong with a field, or that nothing is. */
  #object(name, message = '') {
    at(`${name}-error`).hidden = !message;
    at(`${name}-error`).textContent = message;
    if (name !== 'rating') fields[name].ariaInvalid = String(Boolean(message));
  }

  #say(message) {
    at('conflict').hidden = true;
    at('form-error').hidden = !message;
    at('form-error').textContent = message;
  }
}

function facts(values) {
  return Object.entries(values).flatMap(([name, value]) => {
    const [term, detail] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = name;
    detail.textContent = value;
    return [term, detail];
  });
}

/** "shy_ghost-2.png" is the picture of a "shy ghost 2". */
const nameFrom = (file) => file.replace(/\.[^.]*$/, '').replaceAll(/[_-]+/g, ' ').trim().slice(0, 100);
