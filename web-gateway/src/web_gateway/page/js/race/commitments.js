import { jsonOn, keepOn } from "../shelf.js";
import { raceOf, verdictOf } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("../shelf.js").Shelf} Shelf */
/**
 * What this browser was shown of a race: the commitment while it ran, and the final boards, as values.
 * @typedef {{readonly commitment: string, readonly finals: readonly {readonly seat: number, readonly cells: readonly number[]}[]}} Shown
 */
/** @typedef {[race: string, shown: Shown]} Kept */

const KEY = "tilerace.race.commitments";
/** How many races are remembered. */
const MOST = 50;

/**
 * Remembers what was shown of races, so that Verify can compare: a commitment is worth something only if it was seen
 * before the seed was, and stays the same. Where nothing can be kept, Verify says that it has nothing to compare with.
 */
export class Commitments {
  #shelf;
  /** What was kept last: the same news comes many times. */
  #last = "";

  /** @param {Shelf} shelf */
  constructor(shelf = () => localStorage) {
    this.#shelf = shelf;
  }

  /** Keeps what a view shows of its race, unless it is kept already. @param {View} view */
  keep(view) {
    const race = view.table?.race ?? null;
    if (view.table === null || race === null || race.commitment === null) return;
    const finals = view.reveal?.race === race.number ? view.reveal.boards : [];
    const running = raceOf(view) !== null && verdictOf(view) === null && race.ended_at === null;
    const key = keyOf(view.table.table, race.number);
    const news = `${key} ${running} ${finals.length}`;
    if (news === this.#last || !(running || finals.length > 0)) return;
    this.#last = news;
    this.#put(key, running ? race.commitment.toLowerCase() : null, finals);
  }

  /**
   * What was shown of a race.
   * @param {string} table
   * @param {number} race
   * @returns {Shown | null} null where this browser did not see it while it ran
   */
  of(table, race) {
    return this.#read().find(([key]) => key === keyOf(table, race))?.[1] ?? null;
  }

  /** @param {string} key @param {string | null} commitment @param {Shown["finals"]} finals */
  #put(key, commitment, finals) {
    const kept = this.#read();
    const had = kept.find(([one]) => one === key)?.[1];
    // The first one counts: a later one may have been chosen after the fact.
    const first = had?.commitment ?? commitment;
    if (first === null) return;
    const shown = { commitment: first, finals: had !== undefined && had.finals.length > 0 ? had.finals : finals };
    const others = kept.filter(([one]) => one !== key);
    keepOn(this.#shelf, KEY, JSON.stringify([...others, /** @type {Kept} */ ([key, shown])].slice(-MOST)));
  }

  /** @returns {Kept[]} oldest first */
  #read() {
    const read = jsonOn(this.#shelf, KEY);
    return Array.isArray(read) ? read.filter(isKept) : [];
  }
}

/** @param {string} table @param {number} race @returns {string} */
const keyOf = (table, race) => `${table}/${race}`;

/** @param {any} kept @returns {kept is Kept} */
function isKept(kept) {
  return Array.isArray(kept) && typeof kept[0] === "string" && typeof kept[1]?.commitment === "string" && Array.isArray(kept[1].finals)
    && kept[1].finals.every((/** @type {any} */ final) => Number.isSafeInteger(final?.seat) && Array.isArray(final.cells) && final.cells.length === 16);
}
