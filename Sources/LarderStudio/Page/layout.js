// Where the boxes of a diagram stand, if the user hasn't put them elsewhere.

const gap = { x: 90, y: 36 };
const columnHeight = 900;

/** Returns a place for each box: tables that refer to others stand to the right of those. */
export function layOut(boxes, lines) {
  const depths = new Map(boxes.map(({ name }) => [name, 0]));
  // A circle of references ends after as many rounds as there are tables.
  for (let round = 0; round < Math.min(boxes.length, 12); round += 1) {
    for (const { from, to } of lines) {
      if (from !== to && depths.get(from) <= depths.get(to) && depths.get(to) < 6) depths.set(from, depths.get(to) + 1);
    }
  }
  const places = {};
  let x = 20;
  for (const depth of [...new Set(depths.values())].sort((left, right) => left - right)) {
    let y = 20;
    let width = 0;
    for (const box of boxes.filter(({ name }) => depths.get(name) === depth)) {
      if (y > 20 && y + box.height > columnHeight) {
        x += width + gap.x;
        y = 20;
        width = 0;
      }
      places[box.name] = { x, y };
      y += box.height + gap.y;
      width = Math.max(width, box.width);
    }
    x += width + gap.x;
  }
  return places;
}
