import { jsonOn, keepOn } from "../shelf.js";

/** @typedef {import("./frames.js").Rules} Rules */
/** @typedef {import("../shelf.js").Shelf} Shelf */

const KEY = "tilerace.rules";

/**
 * The rules chosen last in this browser.
 * @param {Shelf} [shelf]
 * @returns {Rules | null} what was kept, which a server may not have on offer
 */
export function knownRules(shelf = () => localStorage) {
  const kept = jsonOn(shelf, KEY);
  return isPart(kept?.target) && isPart(kept.clock_s) ? { target: kept.target, clock_s: kept.clock_s } : null;
}

/** @param {unknown} part @returns {part is number | null} */
const isPart = (part) => part === null || Number.isSafeInteger(part);

/**
 * Keeps rules for the next table, which begins with the usual ones where they cannot be kept.
 * @param {Rules} rules
 * @param {Shelf} [shelf]
 */
export function keepRules({ target, clock_s }, shelf = () => localStorage) {
  keepOn(shelf, KEY, JSON.stringify({ target, clock_s }));
}
