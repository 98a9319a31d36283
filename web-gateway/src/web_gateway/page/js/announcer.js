import { grouped, listed } from "./words.js";

/** How often a screen reader is given something new, in milliseconds. */
const EVERY = 800;
/** Cannot be heard, but makes the same words new. */
const AGAIN = "\u00a0";

/**
 * Says things politely: one every so often, and of those that come faster only the latest; the last is always said.
 */
export class Announcer {
  #write;
  #every;
  #said = "";
  /** @type {string | null} */
  #next = null;
  #isWaiting = false;

  /** @param {(words: string) => void} write puts words where a screen reader finds them @param {number} [every] milliseconds */
  constructor(write, every = EVERY) {
    this.#write = write;
    this.#every = every;
  }

  /** @param {string} words */
  say(words) {
    this.#next = words;
    if (!this.#isWaiting) this.#tell();
  }

  /** Drops what waits to be said, and takes away what was. */
  hush() {
    this.#next = null;
    this.#said = "";
    this.#write("");
  }

  #tell() {
    this.#isWaiting = this.#next !== null;
    if (this.#next === null) return;
    this.#said = this.#next === this.#said ? this.#next + AGAIN : this.#next;
    this.#next = null;
    this.#write(this.#said);
    setTimeout(() => this.#tell(), this.#every);
  }
}

/**
 * What a slide made: "8 and 16 made, score 1,240. New: 2 in row 1, column 3."
 * @param {{made: readonly number[], score: number, record: boolean, came: {value: number, cell: number}}} slide the values
 *   of the tiles that its merges made, whether one of them is the biggest so far, and the drawn tile
 * @returns {string}
 */
export function slideWords({ made, score, record, came }) {
  const place = `New: ${came.value} ${placeWords(came.cell)}.`;
  if (made.length === 0) return place;
  const biggest = record ? ", your biggest" : "";
  const tiles = [...made].sort((one, other) => one - other).map(String);
  return `${listed(tiles)} made${biggest}, score ${grouped(score)}. ${place}`;
}

/**
 * Where a cell is: "in row 1, column 3".
 * @param {number} cell
 * @returns {string}
 */
export const placeWords = (cell) => `in row ${(cell >> 2) + 1}, column ${(cell % 4) + 1}`;
