import { nameAt } from "./words.js";

/** @typedef {import("./answer.js").Replay} Replay */
/** @typedef {import("./course.js").Course} Course */
/** @typedef {import("./log.js").Entry} Entry */
/** When a racer's last offer closed, and after how many own slides. @typedef {{readonly ms: number, readonly slides: number}} Closed */

/** How long an offer stands, and how soon the same racer may offer again (docs/rules.md §4). */
const STANDS_MS = 30_000;
const AGAIN_MS = 20_000;
const AGAIN_SLIDES = 10;
/**
 * The log has the times at which the store took things; the server judged them on its estimate of that clock, a little
 * before. So much is allowed for it, and no more.
 */
const SLACK_MS = 6_000;

/** Watches that nobody does what the rules do not let them do: after leaving, or about an offer. */
export class Watcher {
  #replay;
  /** @type {Map<number, Closed>} */
  #closed = new Map();

  /** @param {Replay} replay */
  constructor(replay) {
    this.#replay = replay;
  }

  /**
   * What is wrong with an entry, before it happens.
   * @param {Entry} entry
   * @param {Course} course as it stands before it
   * @returns {string | null} null where nothing is
   */
  wrongWith(entry, course) {
    if (entry.type === "lapsed") return this.#wrongWithLapse(entry, course);
    if (entry.seat === null) return null;
    const name = nameAt(this.#replay, entry.seat);
    if (course.place(entry.seat).out !== null) return `${name} ${DOES[entry.type]} after leaving the race`;
    if (entry.type === "offered") return this.#wrongWithOffer(entry, course);
    return entry.type === "agreed" || entry.type === "declined" ? this.#wrongWithAnswer(entry, course) : null;
  }

  /**
   * Notes the end of an offer.
   * @param {Course["offer"]} before
   * @param {Entry} entry what has just happened
   * @param {Course} course after it
   */
  saw(before, entry, course) {
    if (before === null || course.offer !== null) return;
    // An offer lapses at its end, however late that was written down.
    const ms = entry.type === "lapsed" ? before.ms + STANDS_MS : entry.ms;
    this.#closed.set(before.by, { ms, slides: course.place(before.by).slides });
  }

  /** @param {Entry} entry @param {Course} course @returns {string | null} */
  #wrongWithOffer({ seat, ms }, { offer, places }) {
    const name = nameAt(this.#replay, seat);
    if (offer !== null) return `${name} offered a draw while ${nameAt(this.#replay, offer.by)}'s offer stood`;
    const closed = this.#closed.get(seat ?? 0);
    const slides = places.get(seat ?? 0)?.slides ?? 0;
    const isSoon = closed !== undefined && ms + SLACK_MS < closed.ms + AGAIN_MS && slides < closed.slides + AGAIN_SLIDES;
    return isSoon ? `${name} offered a draw again too soon` : null;
  }

  /** @param {Entry} entry @param {Course} course @returns {string | null} */
  #wrongWithAnswer({ type, seat, ms }, { offer }) {
    const name = nameAt(this.#replay, seat);
    if (offer === null) return `${name} ${type}, but no offer stood`;
    if (offer.agreed.includes(seat ?? 0)) return `${name} ${type}, but had agreed already`;
    return ms > offer.ms + STANDS_MS + SLACK_MS ? `${name} ${type} to an offer that had lapsed` : null;
  }

  /** @param {Entry} entry @param {Course} course @returns {string | null} */
  #wrongWithLapse({ ms }, { offer }) {
    if (offer === null) return "An offer lapsed, but none stood";
    return ms + SLACK_MS < offer.ms + STANDS_MS ? `${nameAt(this.#replay, offer.by)}'s offer lapsed before its 30 seconds were over` : null;
  }
}

/** @type {Readonly<Record<Entry["type"], string>>} */
const DOES = { slide: "slid", resigned: "resigned", left_behind: "was raced on without", offered: "offered a draw", agreed: "agreed", declined: "declined", lapsed: "", time_up: "" };
