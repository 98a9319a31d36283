import { el, say } from "../dom.js";
import { CELLS, EMPTY_BOARD, valueOf } from "../engine/board.js";
import { NO_TILES, planTiles } from "./tile-plan.js";

/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Motion} Motion */
/** @typedef {import("./tile-plan.js").Tile} Tile */

/** How long a slide is seen; css/board.css has the same. */
const SLIDE_MS = 100;

/** Shows a board and how it came about. Knows no rules: it is told the cells and the ways of the tiles. */
export class TileBoard extends HTMLElement {
  #plan = NO_TILES;
  /** @type {Board} */
  #cells = EMPTY_BOARD;
  /** @type {Map<number, HTMLElement>} */
  #tiles = new Map();
  /** @type {Set<HTMLElement>} */
  #ghosts = new Set();
  #slidingUntil = 0;
  #layer = el("div", { class: "tiles", "aria-hidden": "true" });
  #read = Array.from({ length: CELLS }, () => el("td"));

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const rows = [0, 4, 8, 12].map((first) => el("tr", {}, ...this.#read.slice(first, first + 4)));
    const caption = el("caption", { text: this.getAttribute("label") ?? "Board" });
    const places = Array.from({ length: CELLS }, () => el("i"));
    this.append(
      el("table", { class: "unseen" }, caption, el("tbody", {}, ...rows)),
      el("div", { class: "places", "aria-hidden": "true" }, ...places),
      this.#layer,
    );
    this.#readOut();
  }

  /** @returns {Board} */
  get cells() {
    return this.#cells;
  }

  /**
   * Shows a board.
   * @param {Board} cells
   * @param {readonly Motion[]} [motions] from the board shown before; without them the nearest tiles go where they fit
   */
  show(cells, motions = []) {
    if (cells.every((exponent, cell) => exponent === this.#cells[cell])) return;
    this.#cells = cells;
    const before = new Map(this.#plan.tiles.map((tile) => [tile.key, tile.cell]));
    this.#plan = planTiles(this.#plan, cells, motions);
    const moves = this.#plan.ghosts.length > 0 || this.#plan.tiles.some(({ key, cell }) => before.has(key) && before.get(key) !== cell);
    if (moves) this.#finish();
    this.#animate();
    this.#readOut();
  }

  /** Shows a board as it is, without any motion. @param {Board} cells */
  reset(cells) {
    this.#plan = NO_TILES;
    this.#cells = EMPTY_BOARD;
    this.#tiles.clear();
    this.#layer.replaceChildren();
    this.show(cells);
  }

  /** The next slide waits for nothing: what is still under way is at its end at once. */
  #finish() {
    for (const ghost of this.#ghosts) ghost.remove();
    this.#ghosts.clear();
    for (const tile of this.#tiles.values()) tile.classList.remove("is-new", "is-merged");
    this.#slidingUntil = performance.now() + SLIDE_MS;
  }

  #animate() {
    for (const { key, cell } of this.#plan.ghosts) this.#vanish(key, cell);
    for (const tile of this.#plan.tiles) this.#place(tile);
  }

  /** @param {number} key @param {number} cell */
  #vanish(key, cell) {
    const ghost = this.#tiles.get(key);
    if (ghost === undefined) return;
    this.#tiles.delete(key);
    this.#ghosts.add(ghost);
    moveTo(ghost, cell);
    setTimeout(() => {
      ghost.remove();
      this.#ghosts.delete(ghost);
    }, SLIDE_MS);
  }

  /** @param {Tile} tile */
  #place({ key, cell, exponent, came }) {
    const known = this.#tiles.get(key);
    if (known !== undefined) return moveTo(known, cell);
    const made = el("div", { class: "tile", "data-exponent": exponent }, el("b", { text: String(valueOf(exponent)) }));
    made.classList.add(came === "merged" ? "is-merged" : "is-new");
    made.style.setProperty("--wait", `${Math.max(0, Math.round(this.#slidingUntil - performance.now()))}ms`);
    moveTo(made, cell);
    this.#tiles.set(key, made);
    this.#layer.append(made);
  }

  #readOut() {
    this.#read.forEach((cell, index) => say(cell, this.#cells[index] === 0 ? "empty" : String(valueOf(this.#cells[index]))));
  }
}

/** @param {HTMLElement} tile @param {number} cell */
function moveTo(tile, cell) {
  tile.style.setProperty("--column", String(cell % 4));
  tile.style.setProperty("--row", String(cell >> 2));
}

customElements.define("tile-board", TileBoard);
