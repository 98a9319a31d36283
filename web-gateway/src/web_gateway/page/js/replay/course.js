import { exponentOf } from "../engine/board.js";
import { canSlide } from "../engine/slide.js";
import { judge } from "./judge.js";

/** @typedef {import("../race/frames.js").Verdict} Verdict */
/** @typedef {import("./answer.js").Replay} Replay */
/** @typedef {import("./log.js").Entry} Entry */
/** @typedef {import("./track.js").Track} Track */
/** An offer that stands: whose, who has agreed (the offerer first), and when it was made. @typedef {{readonly by: number, readonly agreed: readonly number[], readonly ms: number}} Offer */
/** What an entry brings about besides itself. @typedef {{readonly stuck?: number, readonly slidOff?: Offer, readonly verdict?: Verdict}} Outcome */
/** @typedef {{slides: number, stuck: boolean, out: "resigned" | "left_behind" | null}} Place */

/** A race as its log goes on: who is out or stuck, what is offered, and when it is over. */
export class Course {
  #tracks;
  #target;
  /** @type {Map<number, Place>} */
  places;
  /** @type {Offer | null} */
  offer = null;
  /** @type {Verdict | null} */
  verdict = null;

  /** @param {Replay} replay @param {ReadonlyMap<number, Track>} tracks by seat, with all their slides */
  constructor({ rules, seats }, tracks) {
    this.#tracks = tracks;
    this.#target = rules.target === null ? null : exponentOf(rules.target);
    this.places = new Map(seats.map(({ seat }) => [seat, { slides: 0, stuck: false, out: null }]));
  }

  /** @param {number} seat @returns {Place} */
  place(seat) {
    return /** @type {Place} */ (this.places.get(seat));
  }

  /** @param {Entry} entry the next one @returns {Outcome} */
  take(entry) {
    const outcome = entry.type === "slide" ? this.#slid(entry.seat) : this.#happened(entry);
    if (this.verdict !== null) return outcome;
    const madeTarget = entry.type === "slide" && this.#madeTarget(entry.seat) ? entry.seat : null;
    this.verdict = judge(this.#standings(), { madeTarget, timeIsUp: entry.type === "time_up", agreed: this.offer?.agreed });
    return this.verdict === null ? outcome : { ...outcome, verdict: this.verdict };
  }

  /** @param {number} seat @returns {Outcome} */
  #slid(seat) {
    const place = this.place(seat);
    const { offer } = this;
    place.slides += 1;
    const track = this.#track(seat);
    place.stuck = place.slides === track.slides && !canSlide(track.last.board);
    const slidOff = offer !== null && !offer.agreed.includes(seat) ? offer : undefined;
    if (slidOff !== undefined) this.offer = null;
    return { slidOff, stuck: place.stuck ? seat : undefined };
  }

  /** @param {Exclude<Entry, {type: "slide"}>} entry @returns {Outcome} */
  #happened({ type, seat, ms }) {
    const by = seat ?? 0;
    if (type === "resigned" || type === "left_behind") this.place(by).out = type;
    if (type === "offered") this.offer = { by, agreed: [by], ms };
    if (type === "agreed" && this.offer !== null) this.offer = { ...this.offer, agreed: [...this.offer.agreed, by] };
    if (type === "declined" || type === "lapsed") this.offer = null;
    return {};
  }

  /** @param {number} seat @returns {Track} */
  #track(seat) {
    return /** @type {Track} */ (this.#tracks.get(seat));
  }

  /** @param {number} seat @returns {boolean} */
  #madeTarget(seat) {
    return this.#target !== null && this.#track(seat).after(this.place(seat).slides).board.includes(this.#target);
  }

  #standings() {
    return [...this.places].map(([seat, { slides, stuck, out }]) => {
      return { seat, score: this.#track(seat).after(slides).score, stuck, out: out !== null };
    });
  }
}
