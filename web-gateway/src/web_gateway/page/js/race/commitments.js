import { jsonOn, keepOn } from "../shelf.js";
import { isSeen, OwnTiles } from "./own-tiles.js";
import { racingSeat, raceOf, verdictOf } from "./view.js";

/** @typedef {import("./frames.js").Rules} Rules */
/** @typedef {import("./own-tiles.js").Seen} Seen */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("../shelf.js").Shelf} Shelf */
/** What a race was dealt with, besides its seed. @typedef {{readonly rules: Rules, readonly racers: readonly {readonly seat: number, readonly name: string}[]}} Dealt */
/**
 * What this browser was shown of a race: the commitment, rules and racers while it ran, the tiles that came to its own
 * board, and the final boards, as values. Earlier releases kept neither what it was dealt with nor tiles.
 * @typedef {{readonly commitment: string, readonly dealt?: Dealt, readonly own?: Seen, readonly finals: readonly {readonly seat: number, readonly cells: readonly number[]}[]}} Shown
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
  #tiles = new OwnTiles();

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
    if (view.board?.race === race.number) this.#tiles.note(key, view.board);
    const news = `${key} ${running} ${finals.length}`;
    if (news === this.#last || !(running || finals.length > 0)) return;
    this.#last = news;
    const seat = racingSeat(view);
    const own = finals.length > 0 && seat !== null ? this.#tiles.seen(key, seat) : undefined;
    this.#put(key, running ? { commitment: race.commitment.toLowerCase(), dealt: { rules: race.rules, racers: race.racers } } : null, { finals, own });
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

  /** @param {string} key @param {Pick<Shown, "commitment" | "dealt"> | null} begun while it runs @param {Pick<Shown, "finals" | "own">} ended */
  #put(key, begun, ended) {
    const kept = this.#read();
    const had = kept.find(([one]) => one === key)?.[1];
    // The first one counts: a later one may have been chosen after the fact.
    const first = had ?? begun;
    if (first === null) return;
    const { finals, own } = had !== undefined && had.finals.length > 0 ? had : ended;
    const shown = { commitment: first.commitment, dealt: first.dealt, own, finals };
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
  if (!Array.isArray(kept) || typeof kept[0] !== "string" || typeof kept[1]?.commitment !== "string") return false;
  const { dealt, own, finals } = kept[1];
  return (dealt === undefined || isDealt(dealt)) && (own === undefined || isSeen(own)) && Array.isArray(finals) && finals.every(isFinal);
}

/** @param {any} final @returns {boolean} */
const isFinal = (final) => Number.isSafeInteger(final?.seat) && Array.isArray(final.cells) && final.cells.length === 16;

/** @param {any} dealt @returns {boolean} */
const isDealt = (dealt) => [dealt?.rules?.target, dealt?.rules?.clock_s].every((rule) => rule === null || Number.isSafeInteger(rule))
  && Array.isArray(dealt.racers) && dealt.racers.every((/** @type {any} */ racer) => Number.isSafeInteger(racer?.seat) && typeof racer.name === "string");
