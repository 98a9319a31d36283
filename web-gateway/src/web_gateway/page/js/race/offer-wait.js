import { isAsked, raceOf, racingSeat, timeOf } from "./view.js";

/** @typedef {import("./frames.js").RaceFrame} RaceFrame */
/** @typedef {import("./view.js").OwnOffer} OwnOffer */
/** @typedef {import("./view.js").View} View */

/** After so many of one's own slides, or so many milliseconds, one may offer again. */
const SLIDES = 10;
const WAIT_MS = 20_000;

/**
 * One's own last offer, once it has closed.
 * @param {View} before
 * @param {RaceFrame} after
 * @returns {OwnOffer | null} the one known before where none has just closed
 */
export function ownOffer(before, after) {
  const you = racingSeat(before);
  const stood = before.race?.race === after.race && before.race.offer?.by === you;
  if (!stood || you === null || after.offer?.by === you) return before.offered;
  const slides = after.standings.find(({ seat }) => seat === you)?.slides ?? 0;
  return { race: after.race, at: after.now, slides };
}

/**
 * Why one cannot offer a draw now.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {string | null} null when one can
 */
export function whyNotOffer(view, at) {
  if (raceOf(view)?.offer != null) return "An offer stands already.";
  if (isAsked(view, "offer")) return "Your offer is on its way.";
  const { offered } = view;
  if (offered === null || offered.race !== view.table?.race?.number) return null;
  const slides = SLIDES - ((view.board?.n ?? 0) - offered.slides);
  const seconds = Math.ceil((offered.at + WAIT_MS - timeOf(view, at)) / 1000);
  if (slides <= 0 || seconds <= 0) return null;
  return `Offer again after ${slides} more of your own slides, or ${seconds} s.`;
}
