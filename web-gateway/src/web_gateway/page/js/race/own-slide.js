import { slide } from "../engine/slide.js";
import { valueOf } from "../engine/board.js";
import { predicted } from "./slides.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {{readonly points: number, readonly biggest: number}} Pressed what a key's slide earns, and the biggest tile that its merges make, 0 for none */
/** @typedef {{readonly made: readonly number[], readonly score: number, readonly record: boolean, readonly came: {value: number, cell: number}}} Told */

/**
 * The slide that a key has just made on the board that is shown, before the server has answered.
 * @param {View} before
 * @param {View} after
 * @returns {Pressed | null}
 */
export function pressedSlide(before, after) {
  const key = after.slides.keys.at(-1);
  if (key === undefined || before.slides.race !== after.slides.race || key.serial !== before.slides.serial + 1) return null;
  const slid = slide(predicted(before.slides), key.direction);
  if (slid === null) return null;
  const made = slid.motions.filter(([, , merged]) => merged).map(([, to]) => valueOf(slid.board[to]));
  return { points: slid.points, biggest: Math.max(0, ...made) };
}

/**
 * What the server has answered to a slide.
 * @param {View} before
 * @param {View} after
 * @returns {Told | null}
 */
export function toldSlide({ board: before }, { board }) {
  if (board === null || board === before || board.slide === null || board.tile === null) return null;
  const cells = new Set(board.slide.motions.filter(([, , merged]) => merged).map(([, to]) => to));
  const made = [...cells].map((cell) => board.cells[cell]);
  const biggest = before?.race === board.race ? Math.max(...before.cells) : 0;
  return { made, score: board.score, record: biggest > 0 && made.some((value) => value > biggest), came: board.tile };
}
