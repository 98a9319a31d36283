import { valueOf } from "../engine/board.js";
import { cellOf } from "../engine/draw.js";
import { drawsOf } from "../engine/draws.js";
import { racerAfter, racerAtStart } from "../engine/racer.js";
import { slide } from "../engine/slide.js";

/** @typedef {import("../engine/draws.js").Draw} Draw */
/** @typedef {import("../engine/racer.js").Racer} Racer */
/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {(k: number) => Draw} Draws */

/**
 * A seed's draws, each made once: all racers of a race meet the same.
 * @param {Uint8Array} seed
 * @returns {Draws}
 */
export function keptDraws(seed) {
  const draws = drawsOf(seed);
  /** @type {Draw[]} */
  const kept = [];
  return (k) => (kept[k] ??= draws(k));
}

/** One racer's boards, from the start board on: one more for every slide. */
export class Track {
  #draws;
  /** @type {Racer[]} */
  #after;
  /** The numbers of slides that changed nothing, which no true race has. @type {number[]} */
  useless = [];

  /** @param {Draws} draws */
  constructor(draws) {
    this.#draws = draws;
    this.#after = [racerAtStart(draws)];
  }

  /** @returns {number} */
  get slides() {
    return this.#after.length - 1;
  }

  /** @returns {Racer} as it was last */
  get last() {
    return this.#after[this.slides];
  }

  /** @param {number} slides @returns {Racer} as it was after so many */
  after(slides) {
    return this.#after[slides];
  }

  /**
   * The tile that came after a slide.
   * @param {number} n the slide's number
   * @param {Direction | undefined} direction the slide's own
   * @param {Draws} draws
   * @returns {{readonly cell: number, readonly value: number} | null} null where there was no such slide
   */
  tileOf(n, direction, draws) {
    const before = this.#after[n - 1];
    const slid = before === undefined || direction === undefined ? null : slide(before.board, direction);
    return slid === null ? null : { cell: cellOf(draws(n + 1), slid.board), value: valueOf(draws(n + 1).exponent) };
  }

  /** @param {Direction} direction */
  slide(direction) {
    const { last } = this;
    const next = racerAfter(last, direction, this.#draws);
    if (next === null) this.useless.push(last.slides + 1);
    this.#after.push(next ?? { ...last, slides: last.slides + 1 });
  }
}
