import { grouped, listed, reasonWords, rulesName } from "../words.js";
import { nameOf, raceOf, verdictOf } from "./view.js";

/** @typedef {import("./frames.js").Standing} Standing */
/** @typedef {import("./view.js").View} View */

/**
 * All racers as they ended: those who won or share the first place first, then by score, those who are out last.
 * @param {View} view
 * @returns {Standing[]}
 */
export function ranked(view) {
  const standings = raceOf(view)?.standings ?? [];
  return [...standings].sort((one, other) => rank(view, other) - rank(view, one) || other.score - one.score || one.seat - other.seat);
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
  const rules = view.table?.race?.rules ?? { target: null, clock_s: null };
  const why = verdict === null ? "" : ` (${reasonWords(verdict.reason, rules.target)})`;
  const scores = racers.map(({ seat, score }) => `${nameOf(view, seat)} ${grouped(score)}`).join(", ");
  return `${won} a race of 2048${why}. ${rulesName(rules)}: ${scores}. ${link}`;
}
