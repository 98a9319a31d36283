import { BIGGEST_EXPONENT, CELLS } from "./board.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {"up" | "down" | "left" | "right"} Direction */
/**
 * A tile's way in a slide, from cell to cell; `merged` when it became one with another there, which may itself have
 * travelled, with a motion of its own that is `merged`, too, or have stayed, without one.
 * @typedef {readonly [from: number, to: number, merged: boolean]} Motion
 */
/**
 * What a slide makes: the board without its new tile, the points, and the ways of the tiles.
 * @typedef {{readonly board: Board, readonly points: number, readonly motions: readonly Motion[]}} Slide
 */

/** @type {readonly Direction[]} */
export const DIRECTIONS = ["up", "down", "left", "right"];

/** Each direction's four lines of cells, every line from the wall that the slide goes towards. */
const LINES = {
  up: lines((line, step) => step * 4 + line),
  down: lines((line, step) => (3 - step) * 4 + line),
  left: lines((line, step) => line * 4 + step),
  right: lines((line, step) => line * 4 + 3 - step),
};

/** @param {(line: number, step: number) => number} cell @returns {number[][]} */
function lines(cell) {
  return [0, 1, 2, 3].map((line) => [0, 1, 2, 3].map((step) => cell(line, step)));
}

/**
 * Slides a board (docs/rules.md §1). Two of the biggest tile do not merge: there is none of double value.
 * @param {Board} board
 * @param {Direction} direction
 * @returns {Slide | null} null where nothing changes: that is not a slide
 */
export function slide(board, direction) {
  const after = new Array(CELLS).fill(0);
  /** @type {Motion[]} */
  const motions = [];
  let points = 0;
  for (const line of LINES[direction]) points += slideLine({ board, after, motions }, line);
  return motions.length === 0 ? null : { board: after, points, motions };
}

/**
 * Slides one line, from its wall outwards; a tile made by a merge does not merge again.
 * @param {{board: Board, after: number[], motions: Motion[]}} work `after` and `motions` are filled in
 * @param {readonly number[]} line
 * @returns {number} points
 */
function slideLine({ board, after, motions }, line) {
  let free = 0;
  let mergeable = false;
  let points = 0;
  for (const from of line) {
    const exponent = board[from];
    if (exponent === 0) continue;
    /** @type {boolean} */
    const merged = mergeable && exponent < BIGGEST_EXPONENT && after[line[free - 1]] === exponent;
    const to = merged ? line[free - 1] : line[free++];
    after[to] = merged ? exponent + 1 : exponent;
    if (merged) points += 2 ** (exponent + 1);
    mergeable = !merged;
    const partner = motions.at(-1);
    if (merged && partner?.[1] === to) motions[motions.length - 1] = [partner[0], to, true];
    if (merged || from !== to) motions.push([from, to, merged]);
  }
  return points;
}

/**
 * Whether any slide changes the board; a board without one is stuck.
 * @param {Board} board
 * @returns {boolean}
 */
export function canSlide(board) {
  return board.some((exponent, cell) => {
    const right = cell % 4 < 3 && board[cell + 1] === exponent;
    const below = cell < 12 && board[cell + 4] === exponent;
    return exponent === 0 || (exponent < BIGGEST_EXPONENT && (right || below));
  });
}
