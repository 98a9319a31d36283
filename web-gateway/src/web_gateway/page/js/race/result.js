import { grouped, listed } from "../words.js";
import { nameOf, raceOf, verdictOf } from "./view.js";

/** @typedef {import("./frames.js").Reason} Reason */
/** @typedef {import("./frames.js").Standing} Standing */
/** @typedef {import("./view.js").View} View */

/**
 * All racers as they ended: those who won or share the first place first, then by score, those who are out last.
 * @param {View} view
 * @returns {Standing[]}
 */
export function ranked(view) {
  const standings = raceOf(view)?.standings ?? [];
  return [...standings].sort((one, other) => ahead(view, other, one) || other.score - one.score || one.seat - other.seat);
}

/**
 * A racer's place, from 1; equals share it.
 * @param {View} view
 * @param {Standing} standing
 * @returns {number}
 */
export function placeOf(view, standing) {
  return 1 + ranked(view).filter((other) => ahead(view, other, standing) > 0).length;
}

/** @param {View} view @param {Standing} one @param {Standing} other @returns {number} above 0 where the one is ahead of the other */
function ahead(view, one, other) {
  return rank(view, one) - rank(view, other) || (isBest(view, one.seat) ? 0 : one.score - other.score);
}

/** @param {View} view @param {Standing} standing @returns {number} */
function rank(view, { seat, state }) {
  if (isBest(view, seat)) return 2;
  return state === "out" ? 0 : 1;
}

/**
 * Whether a seat won, or shares the first place.
 * @param {View} view
 * @param {number} seat
 * @returns {boolean}
 */
export function isBest(view, seat) {
  const verdict = verdictOf(view);
  return verdict !== null && (verdict.winner === seat || verdict.tied.includes(seat));
}

/** @type {Readonly<Record<Reason, (target: number | null) => string>>} how one won, or some drew */
const HOW = {
  TARGET: (target) => `, with the first ${target ?? "target tile"}`,
  LAST_IN_RACE: () => ", as the last one in it",
  ALL_STUCK: () => ", with the highest score when everyone was stuck",
  OUTSCORED: () => ", with a score that nobody left could beat",
  TIME_UP: () => ", with the highest score when time was up",
  AGREED: () => " by agreement",
};

/**
 * A race that is over as a line of text to share.
 * @param {View} view
 * @param {string} link
 * @returns {string}
 */
export function resultLine(view, link) {
  const verdict = verdictOf(view);
  const racers = ranked(view);
  const best = racers.filter(({ seat }) => isBest(view, seat)).map(({ seat }) => nameOf(view, seat));
  const won = best.length === 1 ? `${best[0]} won` : `${listed(best)} drew`;
  const how = verdict === null ? "" : HOW[verdict.reason](view.table?.race?.rules.target ?? null);
  const scores = racers.map(({ seat, score }) => `${nameOf(view, seat)} ${grouped(score)}`).join(", ");
  return `${won} a race of 2048${how}. ${scores}. ${link}`;
}
