import { drawsOf, place, startBoard } from "./draws.js";
import { slide } from "./slide.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./draws.js").Draw} Draw */
/** @typedef {import("./slide.js").Direction} Direction */
/**
 * A racer's board after some slides.
 * @typedef {{readonly board: Board, readonly score: number, readonly slides: number}} Racer
 */

/**
 * A racer at the start of a race.
 * @param {(k: number) => Draw} draws
 * @returns {Racer}
 */
export const racerAtStart = (draws) => ({ board: startBoard(draws), score: 0, slides: 0 });

/**
 * A racer after one slide more: slide number s is followed by draw s + 1.
 * @param {Racer} racer
 * @param {Direction} direction
 * @param {(k: number) => Draw} draws
 * @returns {Racer | null} null where the slide changes nothing
 */
export function racerAfter(racer, direction, draws) {
  const slid = slide(racer.board, direction);
  if (slid === null) return null;
  const slides = racer.slides + 1;
  return { board: place(slid.board, draws(slides + 1)), score: racer.score + slid.points, slides };
}

/**
 * A racer's board from the seed and all slides.
 * @param {Uint8Array} seed
 * @param {Iterable<Direction>} directions
 * @returns {Racer}
 * @throws {RangeError} when one of them changes nothing, and so cannot have been made
 */
export function replayRacer(seed, directions) {
  const draws = drawsOf(seed);
  let racer = racerAtStart(draws);
  for (const direction of directions) {
    const next = racerAfter(racer, direction, draws);
    if (next === null) throw new RangeError(`slide ${racer.slides + 1} changes nothing`);
    racer = next;
  }
  return racer;
}
