// One of the two devices.

import { element } from '/elements.js';
import { getFile, send } from '/requests.js';
import { offer, say } from '/toast.js';
import { NoteView } from '/devices/note.js';

const kinds = { folders: 'Folders', labels: 'Labels', authors: 'Authors', tags: 'Tags' };
const singular = { folders: 'folder', labels: 'label', authors: 'author', tags: 'tag' };
const words = { restore: 'Bring back', dismiss: 'Dismiss', merge: 'Merge', discard: 'Delete' };

/** Names a part of a device. It is no landmark of the page: the other device has one of the same name. */
function nameGroup(part, name) {
  part.setAttribute('role', 'group');
  part.setAttribute('aria-label', name);
}

/** Names a button, for those who only point at it too. */
function nameButton(button, name) {
  button.title = name;
  button.setAttribute('aria-label', name);
}

/** What a list shows is made anew only where it differs, so that what somebody is writing stays. */
class List {
  constructor(root, make) {
    this.root = root;
    this.make = make;
    this.made = new Map();
  }

  show(items, keyOf, ...context) {
    const views = items.map((item) => {
      const key = keyOf(item);
      const view = this.made.get(key) ?? this.make(item);
      view.show?.(item, ...context);
      return [key, view];
    });
    this.made = new Map(views);
    const wanted = views.map(([, view]) => view.root);
    for (const old of [...this.root.children]) if (!wanted.includes(old)) old.remove();
    wanted.forEach((root, index) => {
      if (this.root.children[index] !== root) this.root.insertBefore(root, this.root.children[index] ?? null);
    });
  }
}

export class DeviceView {
  constructor({ id, name }) {
    this.id = id;
    this.root = element('section', 'device');
    this.root.setAttribute('aria-label', name);
    this.status = element('p', 'status');
    this.status.setAttribute('role', 'status');
    this.connection = element('button', 'switch', element('span', 'knob'), element('span', '', 'Online'));
    this.connection.type = 'button';
    this.connection.setAttribute('role', 'switch');
    this.connection.addEventListener('click', () => this.request('PUT', 'connection', { isOnline: !this.isOnline }));
    const head = element('header', '', element('h2', '', name), this.status, this.connection);
    this.problem = element('p', 'problem');
    this.problem.setAttribute('role', 'status');

    this.conflicts = this.panel('conflicts', 'Conflicts', (item) => this.conflict(item));
    this.aside = this.panel('aside', 'Set aside', (item) => this.setAside(item));
    const folders = element('div', 'folders');
    this.folders = new List(folders, (folder) => this.folder(folder));
    const lists = element('div', 'lists');
    this.named = Object.keys(kinds).filter((kind) => kind !== 'folders').map((kind) => this.namedList(kind, lists));
    this.root.append(head, this.problem, this.conflicts.root, this.aside.root, folders, this.form('folders'), lists, this.files());
  }

  show({ isOnline, problem, waiting, contents, conflicts, setAside }) {
    this.isOnline = isOnline;
    this.root.classList.toggle('offline', !isOnline);
    this.connection.setAttribute('aria-checked', String(isOnline));
    const changes = waiting === 1 ? '1 change waits' : `${waiting} changes wait`;
    this.status.textContent = waiting ? `${isOnline ? 'Online' : 'Offline'} · ${changes}` : isOnline ? 'In step' : 'Offline';
    this.problem.hidden = !problem;
    this.problem.textContent = problem ? `The last exchange has failed. ${problem} The next change tries again.` : '';
    this.folders.show(contents.folders, ({ id }) => id, contents);
    for (const { kind, list } of this.named) list.show(contents[kind], ({ id }) => id);
    this.conflicts.show(conflicts);
    this.aside.show(setAside);
  }

  /** Sends a change that is made on this device, or throws a `Refusal`. */
  send(method, path, json) { return send(method, `/devices/api/${this.id}/${path}`, { json }); }

  /** Sends a change. Says what is wrong, and answers whether it was done. */
  async request(method, path, json) {
    try {
      await this.send(method, path, json);
      return true;
    } catch ({ message }) {
      say(message);
      return false;
    }
  }

  // MARK: Folders and their notes

  folder({ id, name }) {
    const notes = element('div', 'notes');
    const list = new List(notes, (note) => new NoteView(note, this));
    const title = element('span');
    const removal = this.remove(`Delete folder ${name}`, `folders/${id}`);
    const form = this.writing(`New note in ${name}`, 'New note', (text) => this.request('POST', 'notes', { title: text, folder: id }));
    const root = element('div', 'folder', element('h3', '', title, removal), notes, form.root);
    const show = (folder, contents) => {
      nameGroup(root, `Folder ${folder.name}`);
      title.textContent = folder.name;
      nameButton(removal, `Delete folder ${folder.name}`);
      form.name(`New note in ${folder.name}`);
      list.show(contents.notes.filter((note) => note.folder === id), (note) => note.id, contents);
    };
    return { root, show };
  }

  // MARK: Labels, authors and tags

  namedList(kind, parent) {
    const chips = element('ul', 'chips');
    const section = element('div', 'named', element('h3', '', kinds[kind]), chips, this.form(kind));
    nameGroup(section, kinds[kind]);
    parent.append(section);
    return { kind, list: new List(chips, (row) => this.chip(kind, row)) };
  }

  chip(kind, { id, name }) {
    const text = element('span', '', name);
    const removal = this.remove(`Delete ${singular[kind]} ${name}`, `${kind}/${id}`);
    const show = (row) => {
      text.textContent = row.name;
      nameButton(removal, `Delete ${singular[kind]} ${row.name}`);
    };
    return { root: element('li', 'chip', text, removal), show };
  }

  form(kind) {
    return this.writing(`New ${singular[kind]}`, `New ${singular[kind]}`, (name) => this.request('POST', kind, { name })).root;
  }

  /** A field whose text becomes something new. */
  writing(label, placeholder, make) {
    const input = element('input');
    input.placeholder = placeholder;
    input.autocomplete = 'off';
    input.maxLength = 100;
    const button = element('button', 'add', 'Add');
    button.type = 'submit';
    const name = (text) => {
      input.setAttribute('aria-label', text);
      button.setAttribute('aria-label', `Add: ${text}`);
    };
    name(label);
    const form = element('form', 'writing', input, button);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text && await make(text) && input.value.trim() === text) input.value = '';
    });
    return { root: form, name };
  }

  /** A button that deletes a row, and then offers to bring it back if that can be done. */
  remove(label, path, bringBack) {
    const button = element('button', 'remove', '×');
    button.type = 'button';
    nameButton(button, label);
    button.addEventListener('click', async () => {
      const back = bringBack?.();
      if (await this.request('DELETE', path) && back) offer(back.message, () => this.send('POST', back.path, back.row));
    });
    return button;
  }

  // MARK: Files

  files() {
    const save = element('button', 'file', 'Save changes to a file');
    save.type = 'button';
    save.addEventListener('click', () => this.save());
    const input = element('input');
    input.type = 'file';
    input.setAttribute('aria-label', 'Sync file');
    input.addEventListener('change', async () => {
      const [file] = input.files;
      if (!file) return;
      input.value = '';
      try {
        const { rows, leavesGap } = await send('POST', `/devices/api/${this.id}/file`, { body: file });
        const changed = rows === 0 ? 'Nothing in this file is new.' : rows === 1 ? '1 row has changed.' : `${rows} rows have changed.`;
        say(leavesGap ? `${changed} An earlier file is missing.` : changed);
      } catch ({ message }) {
        say(message);
      }
    });
    const look = element('a', 'file', 'Look into the store');
    look.href = `/studio/${this.id}/`;
    return element('footer', '', save, element('label', 'file', 'Read a file…', input), look);
  }

  /** Saves a file. Once all of it is here, the next one begins where it ends. */
  async save() {
    try {
      const { file, tag } = await getFile(`/devices/api/${this.id}/file`);
      const link = element('a');
      link.href = URL.createObjectURL(file);
      link.download = `${this.id}.larder-sync`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      await this.send('PUT', 'file/saved', { tag });
    } catch ({ message }) {
      say(message);
    }
  }

  // MARK: What lost, and what waits

  panel(className, title, make) {
    const items = element('ul');
    const root = element('div', className, element('h3', '', title), items);
    nameGroup(root, title);
    root.hidden = true;
    const list = new List(items, make);
    return {
      root,
      show: (entries) => {
        root.hidden = entries.length === 0;
        list.show(entries, (entry) => JSON.stringify(entry));
      },
    };
  }

  conflict({ token, text, lost }) {
    const content = lost === undefined ? text : [text, ' It was: ', element('q', '', lost)];
    return { root: element('li', '', element('p', '', ...[content].flat()), this.choices('conflicts', token, ['restore', 'dismiss'])) };
  }

  setAside({ token, name, reason, choices }) {
    return { root: element('li', '', element('p', '', element('strong', '', name), ` ${reason}`), this.choices('aside', token, choices)) };
  }

  choices(path, token, choices) {
    const group = element('div', 'choices');
    for (const choice of choices) {
      const button = element('button', '', words[choice]);
      button.type = 'button';
      button.addEventListener('click', () => this.request('POST', path, { token, choice }));
      group.append(button);
    }
    return group;
  }
}
