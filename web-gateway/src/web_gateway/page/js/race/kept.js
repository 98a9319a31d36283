import { EMPTY_BOARD } from "../engine/board.js";
import { jsonOn, keepOn } from "../shelf.js";
import { KEPT, noSlides } from "./slides.js";

/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("../shelf.js").Shelf} Shelf */
/** @typedef {import("./slides.js").Slides} Slides */

/** The table sat at last; one is enough. */
const SAT = "tilerace.sat";
const DIRECTIONS = ["up", "down", "left", "right"];

/**
 * What one page keeps of a table over a reload: the last slides of its race, so that they can be offered again to a store
 * that has lost them, and that one had a seat.
 */
export class Kept {
  #table;
  #slides;
  #tab;
  #browser;

  /** @param {string} table @param {{tab: Shelf, browser: Shelf}} shelves the tab's own, and that of all tabs */
  constructor(table, { tab, browser }) {
    this.#table = table;
    this.#slides = `tilerace.slides.${table}`;
    this.#tab = tab;
    this.#browser = browser;
  }

  /** @returns {Slides | null} as far as they had been told by the server */
  get slides() {
    const kept = jsonOn(this.#tab, this.#slides);
    if (!isKeptSlides(kept)) return null;
    return { ...noSlides(kept.race, kept.commitment, EMPTY_BOARD), base: kept.base, history: kept.history };
  }

  /** @param {Slides} slides */
  keepSlides({ race, commitment, base, history }) {
    if (commitment !== "") keepOn(this.#tab, this.#slides, JSON.stringify({ race, commitment, base, history }));
  }

  /** @returns {{race: number} | null} */
  get sat() {
    const kept = jsonOn(this.#browser, SAT);
    return isNumbered(kept) && "table" in kept && kept.table === this.#table ? { race: kept.race } : null;
  }

  /** @param {{readonly race: number} | null} sat */
  keepSat(sat) {
    keepOn(this.#browser, SAT, sat === null ? null : JSON.stringify({ table: this.#table, race: sat.race }));
  }
}

/** @param {unknown} kept @returns {kept is {race: number}} */
const isNumbered = (kept) => typeof kept === "object" && kept !== null && "race" in kept && Number.isSafeInteger(kept.race);

/** @param {unknown} kept @returns {kept is {race: number, commitment: string, base: number, history: Direction[]}} */
function isKeptSlides(kept) {
  if (!isNumbered(kept) || !("commitment" in kept) || !("base" in kept) || !("history" in kept)) return false;
  const { commitment, base, history } = kept;
  if (typeof commitment !== "string" || !Number.isSafeInteger(base) || !Array.isArray(history)) return false;
  return history.length <= Math.min(KEPT, Number(base)) && history.every((direction) => DIRECTIONS.includes(direction));
}
