import { positionAt, timeAt } from "./timeline.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/**
 * Where a replay is shown: `ms` in race time, and how many entries of the log have happened. Both are kept, for many may
 * have happened in one millisecond, and a step goes through them one by one.
 * @typedef {object} Player
 * @property {number} ms
 * @property {number} position
 * @property {boolean} playing
 * @property {number} speed
 * @property {boolean} skips whether pauses are skipped
 */

/** How fast a race can be shown. */
export const SPEEDS = [0.5, 1, 2, 4, 8];
/** A pause that is worth skipping, and how much of it is left before what comes next. */
const PAUSE_MS = 3000;
const LEFT_MS = 700;
/** Longer than this between two pictures, and the page was asleep. */
const LONGEST_MS = 250;

/**
 * A replay before it is played.
 * @param {Timeline} timeline
 * @returns {Player}
 */
export const atBegin = (timeline) => ({ ms: timeline.from, position: 0, playing: false, speed: 1, skips: false });

/**
 * Some of the viewer's time goes by.
 * @param {Timeline} timeline
 * @param {Player} player
 * @param {number} elapsed milliseconds
 * @returns {Player}
 */
export function ticked(timeline, player, elapsed) {
  if (!player.playing) return player;
  const on = skipped(timeline, player, player.ms + Math.min(elapsed, LONGEST_MS) * player.speed);
  return on >= timeline.to ? { ...atEnd(timeline, player), playing: false } : moved(timeline, player, on);
}

/** @param {Timeline} timeline @param {Player} player @param {number} ms @returns {number} */
function skipped({ times, to }, { position, skips }, ms) {
  const next = position < times.length ? times[position] : to;
  return skips && next - ms > PAUSE_MS ? next - LEFT_MS : ms;
}

/**
 * Plays, or pauses; at the end it begins anew.
 * @param {Timeline} timeline
 * @param {Player} player
 * @returns {Player}
 */
export function toggled(timeline, player) {
  const begin = !player.playing && player.position === timeline.log.length && player.ms >= timeline.to;
  return { ...(begin ? atStart(timeline, player) : player), playing: !player.playing };
}

/**
 * Goes to a moment.
 * @param {Timeline} timeline
 * @param {Player} player
 * @param {number} ms
 * @returns {Player}
 */
export function moved(timeline, player, ms) {
  const within = Math.min(Math.max(ms, timeline.from), timeline.to);
  return within === timeline.from ? { ...player, ms: within, position: 0 } : { ...player, ms: within, position: positionAt(timeline, within) };
}

/** @param {Timeline} timeline @param {Player} player @returns {Player} before anything happened */
export const atStart = (timeline, player) => ({ ...player, ms: timeline.from, position: 0 });

/** @param {Timeline} timeline @param {Player} player @returns {Player} after everything */
export const atEnd = (timeline, player) => ({ ...player, ms: timeline.to, position: timeline.log.length });

/**
 * Goes one slide on or back, with what happened beside it, and pauses.
 * @param {Timeline} timeline
 * @param {Player} player
 * @param {1 | -1} by
 * @returns {Player}
 */
export function stepped(timeline, player, by) {
  const position = by > 0 ? afterNextSlide(timeline, player.position) : beforeLastSlide(timeline, player.position);
  const still = { ...player, playing: false };
  if (by > 0 && position === timeline.log.length) return atEnd(timeline, still);
  return { ...still, position, ms: timeAt(timeline, position) };
}

/** @param {Timeline} timeline @param {number} position @returns {number} */
function afterNextSlide({ log }, position) {
  const next = log.findIndex((entry, at) => at >= position && entry.type === "slide");
  return next < 0 ? log.length : next + 1;
}

/** @param {Timeline} timeline @param {number} position @returns {number} */
function beforeLastSlide({ log }, position) {
  return Math.max(0, log.findLastIndex((entry, at) => at < position && entry.type === "slide"));
}

/**
 * Shows a race faster or slower.
 * @param {Player} player
 * @param {1 | -1} by
 * @returns {Player}
 */
export function paced(player, by) {
  const at = SPEEDS.indexOf(player.speed) + by;
  return { ...player, speed: SPEEDS[Math.min(Math.max(at, 0), SPEEDS.length - 1)] };
}

/**
 * A moment as the end of an address: #t=65.3, in seconds.
 * @param {number} ms
 * @returns {string}
 */
export const hashOf = (ms) => `#t=${Math.round(ms) / 1000}`;

/**
 * The moment that the end of an address names.
 * @param {string} hash
 * @returns {number | null} milliseconds; null where it names none
 */
export function momentOf(hash) {
  const found = /^#t=(-?\d+(?:\.\d+)?)$/.exec(hash);
  return found === null ? null : Number(found[1]) * 1000;
}
