import { keepOn, textOn } from "./shelf.js";

/** @typedef {"system" | "light" | "dark"} Theme */
/** @typedef {"off" | "on"} Switch */
/** @typedef {{theme: Theme, sounds: Switch, vibration: Switch}} Choices */
/** @typedef {import("./shelf.js").Shelf} Shelf */

/** What may be chosen; the first of each holds until something else is. */
const CHOICES = /** @type {const} */ ({ theme: ["system", "light", "dark"], sounds: ["off", "on"], vibration: ["off", "on"] });
const NAMES = /** @type {(keyof Choices)[]} */ (Object.keys(CHOICES));
const PREFIX = "tilerace.";

/**
 * How one likes the page, kept in the browser's storage; where that takes nothing, a choice holds for this page
 * only. Tells of every change by the event `change`, whichever tab it was made in.
 */
export class Preferences extends EventTarget {
  #shelf;
  /** @type {Choices} */
  #chosen = { theme: "system", sounds: "off", vibration: "off" };

  /** @param {Shelf} shelf */
  constructor(shelf) {
    super();
    this.#shelf = shelf;
    for (const name of NAMES) this.#hold(name, textOn(shelf, PREFIX + name));
  }

  /**
   * What is chosen.
   * @template {keyof Choices} Name
   * @param {Name} name
   * @returns {Choices[Name]}
   */
  get(name) {
    return this.#chosen[name];
  }

  /**
   * Chooses, and keeps it.
   * @param {keyof Choices} name
   * @param {unknown} choice anything that cannot be chosen stands for the first choice
   */
  choose(name, choice) {
    this.#hold(name, choice);
    const held = this.#chosen[name];
    keepOn(this.#shelf, PREFIX + name, held === CHOICES[name][0] ? null : held);
    this.dispatchEvent(new Event("change"));
  }

  /**
   * Another tab has kept something.
   * @param {{key: string | null, newValue: string | null}} change without a key everything was cleared
   */
  follow({ key, newValue }) {
    const names = NAMES.filter((name) => key === null || key === PREFIX + name);
    for (const name of names) this.#hold(name, newValue);
    if (names.length > 0) this.dispatchEvent(new Event("change"));
  }

  /** @param {keyof Choices} name @param {unknown} choice */
  #hold(name, choice) {
    const known = CHOICES[name].find((one) => one === choice) ?? CHOICES[name][0];
    Object.assign(this.#chosen, { [name]: known });
  }
}

/** Those of this browser. */
export const preferences = new Preferences(() => localStorage);
globalThis.addEventListener?.("storage", (event) => preferences.follow(event));
