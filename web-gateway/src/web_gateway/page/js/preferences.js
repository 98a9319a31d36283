/** @typedef {"system" | "light" | "dark"} Theme */
/** @typedef {"off" | "on"} Switch */
/** @typedef {{theme: Theme, sounds: Switch, vibration: Switch}} Choices */
/** @typedef {Pick<Storage, "getItem" | "setItem" | "removeItem">} Shelf */

/** What may be chosen; the first of each holds until something else is. */
const CHOICES = /** @type {const} */ ({ theme: ["system", "light", "dark"], sounds: ["off", "on"], vibration: ["off", "on"] });
const NAMES = /** @type {(keyof Choices)[]} */ (Object.keys(CHOICES));
const PREFIX = "tilerace.";

/**
 * How one likes the page, kept in the browser's storage, which may throw or hold anything at all; then a choice holds for
 * this page only. Tells of every change by the event `change`, whichever tab it was made in.
 */
export class Preferences extends EventTarget {
  #shelf;
  /** @type {Choices} */
  #chosen = { theme: "system", sounds: "off", vibration: "off" };

  /** @param {() => Shelf} shelf reaching for it may throw, too */
  constructor(shelf) {
    super();
    this.#shelf = shelf;
    for (const name of NAMES) this.#hold(name, this.#read(name));
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
    this.#write(name);
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

  /** @param {keyof Choices} name @returns {string | null} */
  #read(name) {
    try {
      return this.#shelf().getItem(PREFIX + name);
    } catch {
      return null;
    }
  }

  /** @param {keyof Choices} name */
  #write(name) {
    try {
      const choice = this.#chosen[name];
      if (choice === CHOICES[name][0]) this.#shelf().removeItem(PREFIX + name);
      else this.#shelf().setItem(PREFIX + name, choice);
    } catch {
      // It holds for this page only.
    }
  }
}

/** Those of this browser. */
export const preferences = new Preferences(() => localStorage);
globalThis.addEventListener?.("storage", (event) => preferences.follow(event));
