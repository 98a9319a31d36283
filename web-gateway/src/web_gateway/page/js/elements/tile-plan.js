/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Motion} Motion */
/** A tile on the screen; of a pair that merges, the one that travels farther becomes the merged one. */
/** @typedef {{readonly key: number, readonly cell: number, readonly exponent: number}} Tile */
/** A tile that is no more: it went into another, its host, or just goes. */
/** @typedef {{readonly key: number, readonly host: number | null}} Ghost */
/** @typedef {{readonly tiles: readonly Tile[], readonly ghosts: readonly Ghost[], readonly key: number}} Plan */

/** @type {Plan} */
export const NO_TILES = { tiles: [], ghosts: [], key: 0 };

/**
 * How the tiles on the screen become those of a board: first by the ways the slide gave them, then, where that does not
 * make the board (it was corrected, or the ways are not known), by the nearest tile of the same value.
 * @param {Plan} before
 * @param {Board} board
 * @param {readonly Motion[]} motions
 * @returns {Plan} its ghosts are those of this step
 */
export function planTiles(before, board, motions) {
  return matched(moved({ ...before, ghosts: [] }, motions), board);
}

/**
 * The same for a slide that is taken back: every tile goes where it came from, and a merged one comes apart.
 * @param {Plan} before
 * @param {Board} board
 * @param {readonly Motion[]} motions of that slide
 * @returns {Plan}
 */
export function planBack(before, board, motions) {
  const reached = new Set(motions.map(([, to]) => to));
  // The drawn tile may lie where one comes back to, and must not be taken for it.
  const tiles = [...before.tiles].sort((one, other) => Number(reached.has(other.cell)) - Number(reached.has(one.cell)));
  let { key } = before;
  const apart = tiles.flatMap((tile) => {
    const [far, near] = comingFrom(tile.cell, motions.filter(([, to]) => to === tile.cell));
    const exponent = near === null ? tile.exponent : tile.exponent - 1;
    const host = { ...tile, cell: far, exponent };
    return near === null ? [host] : [host, { key: (key += 1), cell: near, exponent }];
  });
  return matched({ tiles: apart, ghosts: [], key }, board);
}

/** @param {number} cell @param {readonly Motion[]} ways to it @returns {[far: number, near: number | null]} where one tile, or two that merged, came from */
function comingFrom(cell, ways) {
  const [far = cell, near = cell] = ways.map(([from]) => from).sort((one, other) => away(other, cell) - away(one, cell));
  return [far, ways.some(([, , merged]) => merged) ? near : null];
}

/** @param {Plan} plan @param {readonly Motion[]} motions @returns {Plan} */
function moved(plan, motions) {
  const ways = new Map(motions.map(([from, to]) => [from, to]));
  /** @type {Map<number, Tile[]>} the tiles that arrive at each cell, the one from farthest away first */
  const arrived = new Map();
  for (const tile of [...plan.tiles].sort((one, other) => wayOf(other, ways) - wayOf(one, ways))) {
    const cell = ways.get(tile.cell) ?? tile.cell;
    arrived.set(cell, [...(arrived.get(cell) ?? []), { ...tile, cell }]);
  }
  const pairs = [...arrived.values()];
  const tiles = pairs.flatMap((pair) => (isMerge(pair) ? [{ ...pair[0], exponent: pair[0].exponent + 1 }] : pair));
  const ghosts = pairs.filter(isMerge).map(([host, { key }]) => ({ key, host: host.key }));
  return { ...plan, tiles, ghosts };
}

/** @param {Tile} tile @param {Map<number, number>} ways @returns {number} how far it goes */
const wayOf = ({ cell }, ways) => away(cell, ways.get(cell) ?? cell);

/** @param {Tile[]} pair @returns {boolean} */
const isMerge = (pair) => pair.length === 2 && pair[0].exponent === pair[1].exponent;

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
    tiles.push(near === null ? { key: (key += 1), cell, exponent: board[cell] } : { ...near, cell });
  }
  return { key, tiles, ghosts: [...plan.ghosts, ...spare.map((tile) => ({ key: tile.key, host: null }))] };
}

/** @param {Tile[]} tiles @param {number} cell @returns {Tile | null} */
function nearest(tiles, cell) {
  return tiles.reduce((/** @type {Tile | null} */ best, tile) => (best === null || away(tile.cell, cell) < away(best.cell, cell) ? tile : best), null);
}

/** @param {number} one @param {number} other @returns {number} */
const away = (one, other) => Math.abs((one % 4) - (other % 4)) + Math.abs((one >> 2) - (other >> 2));
