import { biggest } from "../engine/board.js";
import { fromHex } from "../engine/bytes.js";
import { slide } from "../engine/slide.js";
import { Course } from "./course.js";
import { logOf } from "./log.js";
import { marksOf } from "./marks.js";
import { keptDraws, Track } from "./track.js";

/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Motion} Motion */
/** @typedef {import("./answer.js").Replay} Replay */
/** @typedef {import("./course.js").Outcome} Outcome */
/** @typedef {import("./log.js").Entry} Entry */
/** @typedef {import("./marks.js").Mark} Mark */
/**
 * A racer through a whole race. `made` has, for every position in the log, how many slides the racer has made by then;
 * a racer is out from the position `outFrom` on.
 * @typedef {object} Lane
 * @property {number} seat
 * @property {string} name
 * @property {Track} track
 * @property {Uint32Array} made
 * @property {number} outFrom
 * @property {"resigned" | "left_behind" | null} out
 * @property {boolean} endsStuck
 */
/**
 * A race laid out in time. A position counts the entries of the log that have happened; `times` has the race time of
 * each entry, and never falls. All boards are kept: they are a few hundred bytes each, and no moment needs a search.
 * @typedef {object} Timeline
 * @property {Replay} replay
 * @property {readonly Entry[]} log
 * @property {Float64Array} times
 * @property {readonly Lane[]} lanes
 * @property {readonly Mark[]} marks
 * @property {number} from race time of the beginning; below 0 where one resigned in the countdown
 * @property {number} to race time of the end
 */
/** A racer at one moment. @typedef {{readonly board: Board, readonly score: number, readonly slides: number, readonly biggest: number, readonly state: "sliding" | "stuck" | "resigned" | "left_behind"}} RacerAt */

/**
 * Lays a race out in time, recomputing every board from the seed and the slides.
 * @param {Replay} replay
 * @returns {Timeline}
 */
export function timelineOf(replay) {
  const log = logOf(replay);
  const tracks = tracksOf(replay);
  const course = new Course(replay, tracks);
  const outcomes = log.map((entry) => course.take(entry));
  const times = risingTimes(log);
  const end = Math.max(replay.ended_at - replay.starts_at, times.at(-1) ?? 0);
  const begin = Math.min(0, times.at(0) ?? 0, end);
  const lanes = replay.seats.map(({ seat, name }) => laneOf({ seat, name, log, outcomes }, /** @type {Track} */ (tracks.get(seat))));
  const marks = marksOf({ log, outcomes, lanes, verdict: replay.verdict });
  return { replay, log, times, lanes, marks, from: begin, to: end };
}

/** @param {Replay} replay @returns {Map<number, Track>} by seat */
function tracksOf({ seed, seats }) {
  const draws = keptDraws(fromHex(seed));
  return new Map(seats.map(({ seat, slides }) => {
    const track = new Track(draws);
    for (const [, direction] of slides) track.slide(direction);
    return [seat, track];
  }));
}

/** @param {readonly Entry[]} log @returns {Float64Array} the log's times, also where a damaged log would go back */
function risingTimes(log) {
  let latest = -Infinity;
  return Float64Array.from(log, ({ ms }) => (latest = Math.max(latest, ms)));
}

/** @param {{seat: number, name: string, log: readonly Entry[], outcomes: readonly Outcome[]}} course @param {Track} track @returns {Lane} */
function laneOf({ seat, name, log, outcomes }, track) {
  const made = new Uint32Array(log.length + 1);
  log.forEach((entry, at) => (made[at + 1] = made[at] + (entry.type === "slide" && entry.seat === seat ? 1 : 0)));
  const leaving = log.findIndex((entry) => entry.seat === seat && isLeaving(entry));
  const out = leaving < 0 ? null : /** @type {Lane["out"]} */ (log[leaving].type);
  const endsStuck = outcomes.some(({ stuck }) => stuck === seat);
  return { seat, name, track, made, outFrom: leaving < 0 ? Infinity : leaving + 1, out, endsStuck };
}

/** @param {Entry} entry @returns {boolean} */
const isLeaving = ({ type }) => type === "resigned" || type === "left_behind";

/**
 * The position at a race time: how many entries of the log have happened by then.
 * @param {Timeline} timeline
 * @param {number} ms
 * @returns {number}
 */
export function positionAt({ times }, ms) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The race time of a position: that of its last entry.
 * @param {Timeline} timeline
 * @param {number} position
 * @returns {number}
 */
export const timeAt = ({ times, from }, position) => (position === 0 ? from : times[position - 1]);

/**
 * How a racer stands at a position.
 * @param {Lane} lane
 * @param {number} position
 * @returns {RacerAt}
 */
export function racerAt({ track, made, outFrom, out, endsStuck }, position) {
  const { board, score, slides } = track.after(made[position]);
  const isStuck = endsStuck && slides === track.slides;
  const state = out !== null && position >= outFrom ? out : isStuck ? "stuck" : "sliding";
  return { board, score, slides, biggest: biggest(board), state };
}

/**
 * How the tiles of a racer travelled in a slide.
 * @param {Timeline} timeline
 * @param {Lane} lane
 * @param {number} n the slide's number, from 1
 * @returns {readonly Motion[]}
 */
export function motionsOf({ replay }, { seat, track }, n) {
  const racer = replay.seats.find((one) => one.seat === seat);
  return racer === undefined ? [] : (slide(track.after(n - 1).board, racer.slides[n - 1][1])?.motions ?? []);
}
