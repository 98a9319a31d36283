/**
 * Reaches for a part of the browser's storage. That may throw, as may each of its calls; it may be full, or hold anything.
 * @typedef {() => Pick<Storage, "getItem" | "setItem" | "removeItem">} Shelf
 */

/**
 * What is kept.
 * @param {Shelf} shelf
 * @param {string} key
 * @returns {string | null} null where there is nothing, or it cannot be reached
 */
export function textOn(shelf, key) {
  try {
    return shelf().getItem(key);
  } catch {
    return null;
  }
}

/**
 * What is kept as JSON.
 * @param {Shelf} shelf
 * @param {string} key
 * @returns {any} null where there is none
 */
export function jsonOn(shelf, key) {
  try {
    return JSON.parse(textOn(shelf, key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Keeps something.
 * @param {Shelf} shelf
 * @param {string} key
 * @param {string | null} text null for nothing any more
 * @returns {boolean} whether the storage took it
 */
export function keepOn(shelf, key, text) {
  try {
    if (text === null) shelf().removeItem(key);
    else shelf().setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
