import { Commitments } from "./commitments.js";
import { Connection } from "./connection.js";
import { reduce, timeOf } from "./reducer.js";
import { isOverdue } from "./slides.js";
import { FIRST_VIEW } from "./view.js";

/** @typedef {import("./reducer.js").Event} Event */
/** @typedef {import("./view.js").View} View */
/** An event whose time is now. @typedef {Event extends infer E ? E extends Event ? Omit<E, "at"> : never : never} Happening */

/** How often clocks, and what waits for a moment, are looked at. */
const TICK_MS = 100;

/** Holds the view, feeds it what happens, and sends what comes out. */
export class TableStore {
  /** @type {View} */
  #view = FIRST_VIEW;
  #connection;
  #commitments = new Commitments();
  #changed;

  /** @param {string} url @param {(view: View) => void} changed */
  constructor(url, changed) {
    this.#changed = changed;
    this.#connection = new Connection(url, {
      opened: () => this.happen({ kind: "opened" }),
      received: (frame) => this.happen({ kind: "frame", frame }),
      closed: (why) => this.happen({ kind: "closed", why }),
    });
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** Connects, or comes back to a table that another tab had taken. */
  connect() {
    this.#connection.connect();
  }

  /** @param {Happening} happening */
  happen(happening) {
    const event = /** @type {Event} */ ({ ...happening, at: performance.now() });
    this.#view = reduce(this.#view, event);
    this.#connection.send(this.#view.out);
    if (event.kind === "frame") this.#commitments.keep(this.#view);
    this.#changed(this.#view);
  }

  /** @returns {number} the store's time */
  now() {
    return timeOf(this.#view, performance.now());
  }

  #tick() {
    if (isOverdue(this.#view.slides, performance.now())) this.#connection.restart();
    this.happen({ kind: "tick" });
  }
}
