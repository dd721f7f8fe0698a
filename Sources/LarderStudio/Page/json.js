// JSON as text and as parts. Numbers stay as they are written: a script would round the long ones.

/** JSON with two spaces for each level. */
export function indented(text) {
  let made = '';
  let depth = 0;
  let inText = false;
  for (let position = 0; position < text.length; position += 1) {
    const character = text[position];
    if (inText) {
      made += character;
      if (character === '\\') made += text[(position += 1)] ?? '';
      else if (character === '"') inText = false;
    } else if (character === '"') {
      inText = true;
      made += character;
    } else if ('{['.includes(character)) {
      const close = character === '{' ? '}' : ']';
      const next = text.slice(position + 1).match(/^\s*/)[0].length + position + 1;
      if (text[next] === close) {
        made += character + close;
        position = next;
      } else {
        depth += 1;
        made += `${character}\n${'  '.repeat(depth)}`;
      }
    } else if ('}]'.includes(character)) {
      depth -= 1;
      made += `\n${'  '.repeat(Math.max(0, depth))}${character}`;
    } else if (character === ',') {
      made += `,\n${'  '.repeat(depth)}`;
    } else if (character === ':') {
      made += ': ';
    } else if (!/\s/.test(character)) {
      made += character;
    }
  }
  return made;
}

/** What is wrong with a text that should be JSON, or an empty text. */
export function problem(text) {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return error.message.replace(/^JSON\.parse: /, '');
  }
}

/** The number of levels that are taken apart. */
const deepest = 100;
const tokens = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+)/gy;

/**
 * The parts of a JSON text: `{ text }` for what has no parts, and `{ isArray, entries: [{ name, node }] }` with names as they are written.
 * Null for a text that isn't JSON, and for one with too many levels.
 */
export function parts(text) {
  if (problem(text)) return null;
  const list = Array.from(text.matchAll(tokens), ([, token]) => token);
  let position = 0;
  function node(depth) {
    const token = list[position++];
    if (token !== '{' && token !== '[') return { text: token };
    if (depth === deepest) throw new RangeError();
    const isArray = token === '[';
    const entries = [];
    while (list[position] !== '}' && list[position] !== ']') {
      if (list[position] === ',') position += 1;
      const name = isArray ? String(entries.length) : list[position];
      if (!isArray) position += 2;
      entries.push({ name, node: node(depth + 1) });
    }
    position += 1;
    return { isArray, entries };
  }
  try {
    return node(0);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The JSON text of parts. */
export function joined({ text, isArray, entries }) {
  if (!entries) return text;
  const list = entries.map(({ name, node }) => (isArray ? joined(node) : `${name}:${joined(node)}`));
  return isArray ? `[${list.join(',')}]` : `{${list.join(',')}}`;
}

/** Whether two texts are the same JSON, apart from spaces. */
export function isSame(one, other) {
  const [first, second] = [one, other].map((text) => parts(text ?? ''));
  return Boolean(first && second) && joined(first) === joined(second);
}

/**
 * The values in which two JSON texts differ: `{ path, before, after }`, each value as it is written, or null for none. Objects are compared
 * property by property, and what else has parts as a whole.
 */
export function differences(before, after) {
  const found = [];
  function compare(old, now, path) {
    if (old?.entries && now?.entries && !old.isArray && !now.isArray) {
      const [left, right] = [old, now].map(({ entries }) => new Map(entries.map(({ name, node }) => [JSON.parse(name), node])));
      for (const name of new Set([...left.keys(), ...right.keys()])) compare(left.get(name), right.get(name), [...path, name]);
      return;
    }
    const [one, other] = [old, now].map((node) => (node ? joined(node) : null));
    if (one !== other) found.push({ path: path.join('.'), before: one, after: other });
  }
  compare(parts(before), parts(after), []);
  return found;
}
