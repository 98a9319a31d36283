import { biggest } from "../engine/board.js";

/** @typedef {import("../race/frames.js").Verdict} Verdict */
/** @typedef {import("./answer.js").EventType} EventType */
/** @typedef {import("./course.js").Outcome} Outcome */
/** @typedef {import("./log.js").Entry} Entry */
/** @typedef {import("./timeline.js").Lane} Lane */
/**
 * Something worth a word in a race: an event, and what follows from slides: one is stuck, an offer is off, one is the
 * first with a bigger tile. It is seen from the position on; `by` is whose offer it is about.
 * @typedef {object} Mark
 * @property {EventType | "stuck" | "slid_off" | "first" | "verdict"} kind
 * @property {number} position
 * @property {number} ms
 * @property {number | null} seat
 * @property {number | null} by
 * @property {number} exponent of the tile, for the first with it; else 0
 */

/** From this tile on (128) the first to make one is worth a word. */
const FIRST_WORTH = 7;

/**
 * A race's marks, in order.
 * @param {{log: readonly Entry[], outcomes: readonly Outcome[], lanes: readonly Lane[], verdict: Verdict}} race
 * @returns {Mark[]}
 */
export function marksOf({ log, outcomes, lanes, verdict }) {
  /** @type {Mark[]} */
  const marks = [];
  let most = FIRST_WORTH - 1;
  /** @type {number | null} */
  let by = null;
  log.forEach((entry, at) => {
    const mark = (/** @type {Mark["kind"]} */ kind, more = {}) => marks.push({ kind, position: at + 1, ms: entry.ms, seat: entry.seat, by: null, exponent: 0, ...more });
    if (entry.type !== "slide") {
      by = entry.type === "offered" ? entry.seat : by;
      return mark(entry.type, { by });
    }
    const { slidOff, stuck } = outcomes[at];
    if (slidOff !== undefined) mark("slid_off", { by: slidOff.by });
    const top = topAt(lanes, entry.seat, at + 1);
    if (top > most) mark("first", { exponent: (most = top) });
    if (stuck !== undefined) mark("stuck");
  });
  return [...marks, { kind: "verdict", position: log.length, ms: log.at(-1)?.ms ?? 0, seat: verdict.winner, by: null, exponent: 0 }];
}

/** @param {readonly Lane[]} lanes @param {number} seat @param {number} position @returns {number} the exponent of the biggest tile */
function topAt(lanes, seat, position) {
  const lane = lanes.find((one) => one.seat === seat);
  return lane === undefined ? 0 : biggest(lane.track.after(lane.made[position]).board);
}
