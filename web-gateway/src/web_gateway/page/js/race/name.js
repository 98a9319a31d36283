import { keepOn, textOn } from "../shelf.js";

const KEY = "tilerace.name";

/**
 * The name used last in this browser.
 * @returns {string | null} null where it has to be asked for
 */
export const knownName = () => textOn(() => localStorage, KEY);

/** @param {string} name to be used the next time */
export function keepName(name) {
  keepOn(() => localStorage, KEY, name);
}
