import { drawsOf } from "../../web-gateway/src/web_gateway/page/js/engine/draws.js";
import { racerAfter, racerAtStart } from "../../web-gateway/src/web_gateway/page/js/engine/racer.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/engine/slide.js").Direction} Direction */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").SlideFrame} SlideFrame */
/** @typedef {{kind: "board", n: number, board: readonly number[], re: string | null} | {kind: "refused", re: string, code: string}} Answer */

/**
 * The server's side of one racer, as docs/architecture.md, rule 4, has it: n = slides + 1 is applied, what was applied
 * with the same direction is answered with the board, and every frame gets exactly one answer, in order.
 */
export class TinyServer {
  #draws;
  /** @type {Direction[]} */
  directions = [];
  /** @type {import("../../web-gateway/src/web_gateway/page/js/engine/racer.js").Racer[]} the racer after 0, 1, 2 … slides */
  #racers;

  /** @param {Uint8Array} seed */
  constructor(seed) {
    this.#draws = drawsOf(seed);
    this.#racers = [racerAtStart(this.#draws)];
  }

  /** @returns {import("../../web-gateway/src/web_gateway/page/js/engine/racer.js").Racer} */
  get racer() {
    return this.#racers[this.#racers.length - 1];
  }

  /** @param {string | null} re @returns {Answer} */
  snapshot(re = null) {
    return { kind: "board", n: this.directions.length, board: this.racer.board, re };
  }

  /** The store loses its last slides. @param {number} slides */
  lose(slides) {
    const left = Math.max(0, this.directions.length - slides);
    this.directions.length = left;
    this.#racers.length = left + 1;
  }

  /** @param {SlideFrame} frame @param {string | null} [busy] a code to refuse it with, whatever it is @returns {Answer[]} */
  answer({ n, direction, id }, busy = null) {
    const code = busy ?? this.#judge(n, direction);
    return code === null ? [this.snapshot(id)] : [{ kind: "refused", re: id, code }, this.snapshot()];
  }

  /** @param {number} n @param {Direction} direction @returns {string | null} why it is refused; null when it is, or had been, applied */
  #judge(n, direction) {
    const slides = this.directions.length;
    if (n <= slides) return this.directions[n - 1] === direction ? null : "SLIDE_CONFLICT";
    if (n > slides + 1) return "SLIDE_OUT_OF_ORDER";
    const next = racerAfter(this.racer, direction, this.#draws);
    if (next === null) return "SLIDE_CHANGES_NOTHING";
    this.directions.push(direction);
    this.#racers.push(next);
    return null;
  }
}
