// How a grid is used by keys.

/** Moves the active cell of a grid, or does what a key asks for. */
export function move(grid, event) {
  if (event.altKey || event.target.closest('input, select, textarea')) return;
  const { row, column } = grid.active;
  const last = grid.pages.count - 1;
  const lastColumn = grid.columns.length - 1;
  const page = Math.max(1, Math.floor(grid.height / 28) - 1);
  const isFar = event.ctrlKey || event.metaKey;
  const places = {
    ArrowDown: [isFar ? last : Math.min(row + 1, last), column],
    ArrowUp: [isFar ? -1 : Math.max(row - 1, -1), column],
    ArrowRight: [row, Math.min(column + 1, lastColumn)],
    ArrowLeft: [row, Math.max(column - 1, 0)],
    PageDown: [Math.min(row + page, last), column],
    PageUp: [Math.max(row - page, 0), column],
    Home: isFar ? [0, 0] : [row, 0],
    End: isFar ? [last, lastColumn] : [row, lastColumn],
  };
  if (event.key === 'Enter' || event.key === ' ') {
    // A reference of the cell is followed with Control.
    const link = event.target.querySelector('a');
    event.preventDefault();
    if (isFar && link) link.click();
    else grid.act();
    return;
  }
  const next = places[event.key];
  if (!next) return;
  event.preventDefault();
  grid.active = { row: next[0], column: next[1] };
  grid.reveal();
  grid.markActive({ isFocused: true });
}
