/** @typedef {import("./frames.js").BoardFrame} BoardFrame */
/**
 * The tiles that came to one's own board, those after slide `from` and on: each a digit of base 32, its cell times two,
 * and one more where it is a 4.
 * @typedef {{readonly seat: number, readonly from: number, readonly tiles: string}} Seen
 */

/**
 * Remembers the tiles that came to one's own board in one race, without a gap, so that Verify can hold them against the
 * seed: boards that fit it at the end prove nothing of what was shown while one raced.
 */
export class OwnTiles {
  #race = "";
  #from = 1;
  /** @type {string[]} */
  #tiles = [];

  /**
   * Notes what a board frame shows; the same frame may come again and again.
   * @param {string} race
   * @param {Pick<BoardFrame, "n" | "tile">} frame
   */
  note(race, { n, tile }) {
    if (race !== this.#race) this.#begin(race, 1);
    // The store fell back, and the board with it, for everyone to see.
    if (n < this.#next - 1) this.#tiles.length = Math.max(0, n - this.#from + 1);
    if (tile === null) return;
    if (n > this.#next || n < this.#from) this.#begin(race, n);
    this.#tiles[n - this.#from] = (2 * tile.cell + (tile.value === 4 ? 1 : 0)).toString(32);
  }

  /** @param {string} race @param {number} seat @returns {Seen | undefined} nothing where none came in that race */
  seen(race, seat) {
    return race === this.#race && this.#tiles.length > 0 ? { seat, from: this.#from, tiles: this.#tiles.join("") } : undefined;
  }

  /** The number of the slide that comes next. */
  get #next() {
    return this.#from + this.#tiles.length;
  }

  /** @param {string} race @param {number} from */
  #begin(race, from) {
    this.#race = race;
    this.#from = from;
    this.#tiles = [];
  }
}

/**
 * The tiles as they were noted, each with the number of its slide.
 * @param {Seen} seen
 * @returns {{readonly n: number, readonly cell: number, readonly value: number}[]}
 */
export function tilesOf({ from, tiles }) {
  return Array.from(tiles, (digit, index) => {
    const noted = parseInt(digit, 32);
    return { n: from + index, cell: noted >> 1, value: noted % 2 === 1 ? 4 : 2 };
  });
}

/** @param {any} seen @returns {boolean} whether it is as it was kept; what it says is not looked at */
export const isSeen = (seen) => Number.isSafeInteger(seen?.seat) && Number.isSafeInteger(seen.from) && seen.from > 0
  && typeof seen.tiles === "string" && /^[0-9a-v]+$/.test(seen.tiles);
