import { emit } from "../dom.js";

/** @type {WeakMap<HTMLButtonElement, string>} why a button cannot be pressed now */
const REASONS = new WeakMap();

/**
 * Has a button do something when it is pressed; one that is held says why it does not. It stays in reach of the keyboard,
 * and keeps the focus, which a disabled one would lose.
 * @param {HTMLButtonElement} button
 * @param {() => void} act
 */
export function onPress(button, act) {
  button.addEventListener("click", () => {
    const why = REASONS.get(button);
    if (why === undefined) act();
    else if (why !== "") emit(button, "say", why);
  });
}

/**
 * Holds a button, or lets go of it.
 * @param {HTMLButtonElement} button one with `onPress`
 * @param {string | null} why in words, "" where it speaks for itself; null to let go
 */
export function hold(button, why) {
  if (why === null) REASONS.delete(button);
  else REASONS.set(button, why);
  setOrRemove(button, "aria-disabled", why === null ? null : "true");
  setOrRemove(button, "title", why || null);
}

/** @param {Element} element @param {string} name @param {string | null} value touches nothing where it is the same */
function setOrRemove(element, name, value) {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
