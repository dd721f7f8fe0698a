// How names stand in conditions and sorts.

const words = new Set(['and', 'or', 'not', 'is', 'in', 'between', 'contains', 'hasprefix', 'hassuffix', 'like', 'glob', 'matches', 'asc', 'desc', 'ascending', 'descending']);

/** A property's name in a condition or a sort. */
export const quoted = (name) => (/^[A-Za-z_][A-Za-z0-9_.]*$/.test(name) && !words.has(name.toLowerCase()) ? name : `\`${name.replaceAll('`', '``')}\``);
