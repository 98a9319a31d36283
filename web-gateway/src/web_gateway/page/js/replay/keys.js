/** @typedef {"toggle" | "on" | "back" | "later" | "earlier" | "start" | "end" | "faster" | "slower"} Action */
/** @typedef {{key: string, ctrlKey: boolean, altKey: boolean, metaKey: boolean, shiftKey: boolean}} KeyPress */

/** How far Shift and an arrow go. */
export const LEAP_MS = 5000;

const FIELDS = "input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]:not([contenteditable=false])";
const PRESSED = "button, a, summary, [type=checkbox]";
/** @type {Readonly<Record<string, Action>>} */
const PLAIN = { " ": "toggle", ArrowRight: "on", ArrowLeft: "back", Home: "start", End: "end", "+": "faster", "=": "faster", "-": "slower" };
/** @type {Readonly<Record<string, Action>>} */
const SHIFTED = { ArrowRight: "later", ArrowLeft: "earlier", "+": "faster" };

/**
 * What a key does to a replay.
 * @param {KeyPress} press
 * @returns {Action | null} null where it is the browser's
 */
export function actionOf({ key, ctrlKey, altKey, metaKey, shiftKey }) {
  if (ctrlKey || altKey || metaKey) return null;
  return (shiftKey ? SHIFTED : PLAIN)[key] ?? null;
}

/**
 * Whether a key belongs to what has the focus: a field, a button that Space presses, an open dialog.
 * @param {EventTarget | null} target
 * @param {string} key
 * @returns {boolean}
 */
export function isTaken(target, key) {
  if (document.querySelector("dialog[open]") !== null) return true;
  if (!(target instanceof Element)) return false;
  return target.closest(FIELDS) !== null || (key === " " && target.closest(PRESSED) !== null);
}
