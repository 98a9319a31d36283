import { Commitments } from "./commitments.js";
import { answersHttp } from "./answering.js";
import { Connection } from "./connection.js";
import { reduce } from "./reducer.js";
import { isOverdue } from "./slides.js";
import { FIRST_VIEW, timeOf } from "./view.js";

/** @typedef {import("./kept.js").Kept} Kept */
/** @typedef {import("./reducer.js").Event} Event */
/** @typedef {import("./view.js").View} View */
/** An event whose time is now. @typedef {Event extends infer E ? E extends Event ? Omit<E, "at"> : never : never} Happening */
/**
 * @typedef {object} Setting
 * @property {string} url the socket's
 * @property {string | null} build this page's own
 * @property {Kept} kept
 */

/** How often clocks, and what waits for a moment, are looked at. */
const TICK_MS = 100;
/** So many handshakes that fail in a row are looked into. */
const TELLING = 3;

/** Holds the view, feeds it what happens, and sends what comes out. */
export class TableStore {
  /** @type {View} */
  #view;
  #connection;
  #commitments = new Commitments();
  #kept;
  #changed;

  /** @param {Setting} setting @param {(view: View) => void} changed */
  constructor({ url, build, kept }, changed) {
    this.#view = { ...FIRST_VIEW, build, cookies: cookiesHere(), slides: kept.slides ?? FIRST_VIEW.slides, sat: kept.sat, offline: !navigator.onLine };
    this.#kept = kept;
    this.#changed = changed;
    this.#connection = new Connection(url, {
      opened: () => this.happen({ kind: "opened" }),
      received: (frame) => this.happen({ kind: "frame", frame }),
      closed: (why, wait) => {
        this.happen({ kind: "closed", why, wait });
        this.#look();
      },
      pinged: () => this.happen({ kind: "pinged" }),
      network: (online) => this.happen({ kind: "network", online }),
    });
    addEventListener("pagehide", () => this.#keep());
    document.addEventListener("visibilitychange", () => this.#keep());
    this.#tick();
  }

  /** Connects, or comes back to a table that another tab had taken. */
  connect() {
    this.#connection.connect();
  }

  /** @returns {string} where the table is for friends */
  get link() {
    return this.#view.hello?.link ?? location.href;
  }

  /** Tries at once what would be tried later. */
  retry() {
    this.#connection.retry();
  }

  /** @param {Happening} happening */
  happen(happening) {
    const event = /** @type {Event} */ ({ ...happening, at: performance.now() });
    const { sat } = this.#view;
    this.#view = reduce(this.#view, event);
    this.#connection.send(this.#view.out);
    if (event.kind === "frame") this.#commitments.keep(this.#view);
    if (this.#view.sat?.race !== sat?.race) this.#kept.keepSat(this.#view.sat);
    this.#changed(this.#view);
  }

  /** @returns {number} the store's time */
  now() {
    return timeOf(this.#view, performance.now());
  }

  /** An outage fails handshakes, too; then HTTP is not answered either. */
  async #look() {
    if ((this.#view.lost?.failed ?? 0) < TELLING) return;
    this.happen({ kind: "looked", answers: await answersHttp() });
  }

  /** Slides are kept when the page may be leaving, so that sliding costs nothing. */
  #keep() {
    this.#kept.keepSlides(this.#view.slides);
  }

  /** The ticks fall on the race's own seconds, so that all screens count alike. */
  #tick() {
    if (isOverdue(this.#view.slides, performance.now())) this.#connection.restart();
    this.happen({ kind: "tick" });
    setTimeout(() => this.#tick(), Math.min(TICK_MS, this.#untilNextSecond()));
  }

  /** @returns {number} milliseconds */
  #untilNextSecond() {
    const gone = this.now() - (this.#view.table?.race?.starts_at ?? 0);
    return Math.max(1, Math.ceil(1000 - (((gone % 1000) + 1000) % 1000)));
  }
}

/** Cookies that are for https only are kept by pages of this very machine, too. @returns {import("./view.js").Cookies} */
function cookiesHere() {
  if (!navigator.cookieEnabled) return "blocked";
  return isSecureContext ? "kept" : "insecure";
}
