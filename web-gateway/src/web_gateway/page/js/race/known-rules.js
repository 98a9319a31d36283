/** @typedef {import("./frames.js").Rules} Rules */
/** @typedef {Pick<Storage, "getItem" | "setItem">} Shelf */

const KEY = "tilerace.rules";

/**
 * The rules chosen last in this browser.
 * @param {() => Shelf} [shelf] reaching for it may throw, and it may hold anything
 * @returns {Rules | null} what was kept, which a server may not have on offer
 */
export function knownRules(shelf = () => localStorage) {
  try {
    const kept = JSON.parse(shelf().getItem(KEY) ?? "null");
    return isPart(kept?.target) && isPart(kept.clock_s) ? { target: kept.target, clock_s: kept.clock_s } : null;
  } catch {
    return null;
  }
}

/** @param {unknown} part @returns {part is number | null} */
const isPart = (part) => part === null || Number.isSafeInteger(part);

/**
 * Keeps rules for the next table.
 * @param {Rules} rules
 * @param {() => Shelf} [shelf]
 */
export function keepRules({ target, clock_s }, shelf = () => localStorage) {
  try {
    shelf().setItem(KEY, JSON.stringify({ target, clock_s }));
  } catch {
    // The next table then begins with the usual ones.
  }
}
