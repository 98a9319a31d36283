/**
 * A board: sixteen exponents, row-major from the top left; 0 is an empty cell, 1 the tile 2, 17 the tile 131072.
 * Boards are never changed in place.
 * @typedef {readonly number[]} Board
 */

/** How many cells a board has. */
export const CELLS = 16;
/** The exponent of 131072, the biggest tile that sixteen cells allow. */
export const BIGGEST_EXPONENT = 17;

/** @type {Board} */
export const EMPTY_BOARD = Object.freeze(new Array(CELLS).fill(0));

/**
 * The value shown on a tile.
 * @param {number} exponent
 * @returns {number} 0 for an empty cell
 */
export const valueOf = (exponent) => (exponent === 0 ? 0 : 2 ** exponent);

/**
 * The exponent of a tile's value.
 * @param {number} value 0 for an empty cell
 * @returns {number}
 */
export const exponentOf = (value) => (value === 0 ? 0 : Math.round(Math.log2(value)));

/**
 * A board from the values on its tiles.
 * @param {readonly number[]} values sixteen, row-major
 * @returns {Board}
 * @throws {RangeError} when it is not a board
 */
export function boardOfValues(values) {
  const board = values.map(exponentOf);
  if (!isBoard(board) || board.some((exponent, cell) => valueOf(exponent) !== values[cell])) throw new RangeError("not a board");
  return board;
}

/**
 * Whether something read from outside is a board.
 * @param {unknown} thing
 * @returns {thing is Board}
 */
export function isBoard(thing) {
  return Array.isArray(thing) && thing.length === CELLS && thing.every(isExponent);
}

/** @param {unknown} thing @returns {boolean} */
const isExponent = (thing) => Number.isInteger(thing) && Number(thing) >= 0 && Number(thing) <= BIGGEST_EXPONENT;

/**
 * The biggest tile's exponent.
 * @param {Board} board
 * @returns {number} 0 on an empty board
 */
export const biggest = (board) => Math.max(...board);

/**
 * The numbers of the empty cells, in order.
 * @param {Board} board
 * @returns {number[]}
 */
export const emptyCells = (board) => [...board.keys()].filter((cell) => board[cell] === 0);

/**
 * The board with a tile more.
 * @param {Board} board
 * @param {number} cell
 * @param {number} exponent
 * @returns {Board}
 */
export const withTile = (board, cell, exponent) => board.map((had, at) => (at === cell ? exponent : had));
