import { el } from "../dom.js";
import { valueOf } from "../engine/board.js";

/** @typedef {import("./tile-plan.js").Ghost} Ghost */
/** @typedef {import("./tile-plan.js").Plan} Plan */
/** @typedef {import("./tile-plan.js").Tile} Tile */
/** A tile's element, where it is or goes, what it shows or is about to, and when. @typedef {{element: HTMLElement, cell: number, exponent: number, due: number}} Shown */
/** A tile on its way into another, or fading where it is. @typedef {Shown & {host: number | null, until: number}} Going */

/** How long a slide is seen; css/board.css has the same. */
const SLIDE_MS = 100;
/** From here on nothing moves any more. */
const IDLE_MS = 450;

/**
 * The tiles that one sees. All that a slide changes in the document, it changes at once: what is under way goes on from
 * where it is, and the browser's compositor does the rest without the page. What is left over is cleared away by the next
 * slide, or when nothing moves.
 */
export class TileLayer {
  element = el("div", { class: "tiles", "aria-hidden": "true" });
  /** @type {Map<number, Shown>} */
  #tiles = new Map();
  /** @type {Map<number, Going>} */
  #going = new Map();
  #slidingUntil = 0;
  #isBack = false;
  #idle = 0;

  /**
   * @param {Plan} plan
   * @param {"slide" | "back" | "place"} how what appears waits for a slide's end; in one taken back it is there at once
   */
  show(plan, how) {
    const now = performance.now();
    if (how === "slide") this.#begin(now);
    this.#isBack = how === "back";
    for (const ghost of plan.ghosts) this.#dismiss(ghost, now);
    for (const tile of plan.tiles) this.#place(tile, now);
    for (const going of this.#going.values()) follow(going, plan);
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#settle(), IDLE_MS);
  }

  clear() {
    this.#tiles.clear();
    this.#going.clear();
    this.element.replaceChildren();
  }

  /** The next slide waits for nothing: what was still to appear does so at once. @param {number} now */
  #begin(now) {
    for (const tile of this.#tiles.values()) {
      if (tile.due > now) waitFor(tile.element, 0);
      tile.due = 0;
    }
    for (const [key, { until }] of this.#going) if (until <= now) this.#forget(key);
    this.#slidingUntil = now + SLIDE_MS;
  }

  /** @param {Ghost} ghost @param {number} now */
  #dismiss({ key, host }, now) {
    const tile = this.#tiles.get(key);
    if (tile === undefined) return;
    this.#tiles.delete(key);
    tile.element.classList.remove("is-merged");
    tile.element.classList.add(host === null ? "is-gone" : "is-ghost");
    for (const going of this.#going.values()) if (going.host === key) going.host = host;
    this.#going.set(key, { ...tile, host, until: now + SLIDE_MS });
  }

  /** @param {Tile} tile @param {number} now */
  #place({ key, cell, exponent }, now) {
    const shown = this.#tiles.get(key) ?? this.#added(key);
    if (shown.exponent !== exponent) this.#turn(shown, exponent, now);
    moveTo(shown, cell);
  }

  /** @param {number} key @returns {Shown} */
  #added(key) {
    const shown = { element: el("div", { class: "tile" }), cell: -1, exponent: 0, due: 0 };
    this.#tiles.set(key, shown);
    this.element.append(shown.element);
    return shown;
  }

  /** A tile becomes another when the slide ends; it keeps its old face until then. @param {Shown} shown @param {number} exponent @param {number} now */
  #turn(shown, exponent, now) {
    const { element } = shown;
    const isNew = shown.exponent === 0;
    keepLastFace(element);
    element.classList.toggle("is-merged", !isNew);
    element.append(el("b", { class: this.#isBack ? null : isNew ? "comes" : "swells", "data-exponent": exponent, text: String(valueOf(exponent)) }));
    shown.exponent = exponent;
    shown.due = Math.max(now, this.#slidingUntil);
    waitFor(element, shown.due - now);
  }

  #settle() {
    for (const key of this.#going.keys()) this.#forget(key);
    for (const { element } of this.#tiles.values()) {
      keepLastFace(element);
      element.classList.remove("is-merged");
    }
  }

  /** @param {number} key */
  #forget(key) {
    this.#going.get(key)?.element.remove();
    this.#going.delete(key);
  }
}

/** @param {HTMLElement} tile */
function keepLastFace(tile) {
  while (tile.childElementCount > 1) tile.firstElementChild?.remove();
  tile.firstElementChild?.removeAttribute("class");
}

/** @param {HTMLElement} tile @param {number} ms */
const waitFor = (tile, ms) => tile.style.setProperty("--wait", `${Math.round(ms)}ms`);

/** Goes along with what it becomes. @param {Going} going @param {Plan} plan */
function follow(going, plan) {
  const host = plan.tiles.find(({ key }) => key === going.host);
  if (host !== undefined) moveTo(going, host.cell);
}

/** @param {Shown} shown @param {number} cell */
function moveTo(shown, cell) {
  if (shown.cell === cell) return;
  shown.cell = cell;
  shown.element.style.transform = `translate(calc(${cell % 4} * var(--step)), calc(${cell >> 2} * var(--step)))`;
}
