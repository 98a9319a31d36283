import { emptyCells, withTile } from "./board.js";

/** @typedef {import("./board.js").Board} Board */
/**
 * One step of the tile sequence: the tile, and where among the empty cells it lands, as a 64-bit number in two halves.
 * @typedef {{readonly exponent: 1 | 2, readonly high: number, readonly low: number}} Draw
 */

/** How many bytes make a draw. */
export const DRAW_BYTES = 16;
/** floor(2^64 / 10) in two halves. */
const TENTH_HIGH = 0x19999999;
const TENTH_LOW = 0x99999999;

/**
 * The draw that sixteen bytes make (docs/rules.md §2).
 * @param {Uint8Array} bytes at least sixteen
 * @returns {Draw}
 */
export function drawOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, DRAW_BYTES);
  const high = view.getUint32(0);
  const four = high < TENTH_HIGH || (high === TENTH_HIGH && view.getUint32(4) < TENTH_LOW);
  return { exponent: four ? 2 : 1, high: view.getUint32(8), low: view.getUint32(12) };
}

/**
 * The cell a draw lands in: number (b * n) >> 64 of the n empty ones.
 * @param {Draw} draw
 * @param {Board} board with an empty cell
 * @returns {number}
 */
export function cellOf(draw, board) {
  const empty = emptyCells(board);
  // n is at most 16, so both products stay exact in a double.
  const carry = Math.floor((draw.low * empty.length) / 2 ** 32);
  return empty[Math.floor((draw.high * empty.length + carry) / 2 ** 32)];
}

/**
 * The board with the drawn tile on it.
 * @param {Board} board with an empty cell
 * @param {Draw} draw
 * @returns {Board}
 */
export const place = (board, draw) => withTile(board, cellOf(draw, board), draw.exponent);
