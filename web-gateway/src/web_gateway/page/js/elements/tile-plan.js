/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Motion} Motion */
/**
 * A tile on the screen; `came` says how: it was there, it is the outcome of a merge, or it is new.
 * @typedef {{readonly key: number, readonly cell: number, readonly exponent: number, readonly came: "stayed" | "merged" | "new"}} Tile
 */
/** A tile that goes to a cell and then is no more. @typedef {{readonly key: number, readonly cell: number}} Ghost */
/** @typedef {{readonly tiles: readonly Tile[], readonly ghosts: readonly Ghost[], readonly key: number}} Plan */

/** @type {Plan} */
export const NO_TILES = { tiles: [], ghosts: [], key: 0 };

/**
 * How the tiles on the screen become those of a board: first by the ways the slide gave them, then, where that does not
 * make the board (it was corrected, or the ways are not known), by the nearest tile of the same value.
 * @param {Plan} before
 * @param {Board} board
 * @param {readonly Motion[]} motions
 * @returns {Plan}
 */
export function planTiles(before, board, motions) {
  const standing = before.tiles.map((tile) => ({ ...tile, came: /** @type {const} */ ("stayed") }));
  return matched(moved({ tiles: standing, ghosts: [], key: before.key }, motions), board);
}

/** @param {Plan} plan @param {readonly Motion[]} motions @returns {Plan} */
function moved(plan, motions) {
  const ways = new Map(motions.map((motion) => [motion[0], motion]));
  const tiles = plan.tiles.map((tile) => ({ ...tile, cell: ways.get(tile.cell)?.[1] ?? tile.cell }));
  const merges = new Set(motions.filter(([, , merged]) => merged).map(([, to]) => to));
  return [...merges].reduce(merge, { ...plan, tiles });
}

/** @param {Plan} plan @param {number} cell @returns {Plan} */
function merge(plan, cell) {
  const pair = plan.tiles.filter((tile) => tile.cell === cell);
  if (pair.length !== 2) return plan;
  const key = plan.key + 1;
  /** @type {Tile} */
  const made = { key, cell, exponent: pair[0].exponent + 1, came: "merged" };
  const rest = plan.tiles.filter((tile) => tile.cell !== cell);
  return { key, tiles: [...rest, made], ghosts: [...plan.ghosts, ...pair.map((tile) => ({ key: tile.key, cell }))] };
}

/** @param {Plan} plan @param {Board} board @returns {Plan} */
function matched(plan, board) {
  const wanted = new Set(board.keys());
  board.forEach((exponent, cell) => exponent === 0 && wanted.delete(cell));
  /** @type {Tile[]} */
  const kept = [];
  const spare = plan.tiles.filter((tile) => {
    const fits = wanted.has(tile.cell) && board[tile.cell] === tile.exponent;
    if (fits) wanted.delete(tile.cell), kept.push(tile);
    return !fits;
  });
  return filled({ ...plan, tiles: kept }, { board, wanted, spare });
}

/**
 * @param {Plan} plan
 * @param {{board: Board, wanted: Set<number>, spare: Tile[]}} missing
 * @returns {Plan}
 */
function filled(plan, { board, wanted, spare }) {
  const tiles = [...plan.tiles];
  let { key } = plan;
  for (const cell of wanted) {
    const near = nearest(spare.filter((tile) => tile.exponent === board[cell]), cell);
    if (near !== null) spare = spare.filter((tile) => tile !== near);
    tiles.push(near === null ? { key: (key += 1), cell, exponent: board[cell], came: "new" } : { ...near, cell });
  }
  return { key, tiles, ghosts: [...plan.ghosts, ...spare.map((tile) => ({ key: tile.key, cell: tile.cell }))] };
}

/** @param {Tile[]} tiles @param {number} cell @returns {Tile | null} */
function nearest(tiles, cell) {
  return tiles.reduce((/** @type {Tile | null} */ best, tile) => (best === null || away(tile.cell, cell) < away(best.cell, cell) ? tile : best), null);
}

/** @param {number} one @param {number} other @returns {number} */
const away = (one, other) => Math.abs((one % 4) - (other % 4)) + Math.abs((one >> 2) - (other >> 2));
