import { el, say } from "../dom.js";
import { CELLS, EMPTY_BOARD, valueOf } from "../engine/board.js";
import { TileLayer } from "./tile-layer.js";
import { NO_TILES, planBack, planTiles } from "./tile-plan.js";

/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Motion} Motion */

/**
 * Shows a board and how it came about. Knows no rules: it is told the cells and the ways of the tiles.
 *
 * `label` names it for those who hear it; with `playable` it can have the focus, so that a screen reader hands it the
 * arrow keys. It is read cell by cell as a table.
 */
export class TileBoard extends HTMLElement {
  #plan = NO_TILES;
  /** @type {Board} */
  #cells = EMPTY_BOARD;
  #layer = new TileLayer();
  #read = Array.from({ length: CELLS }, () => el("td"));
  #grip = el("div", { class: "grip", role: "application", tabindex: 0 });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const label = this.getAttribute("label") ?? "Board";
    const places = Array.from({ length: CELLS }, () => el("i"));
    this.append(tableOf(label, this.#read), el("div", { class: "places", "aria-hidden": "true" }, ...places), this.#layer.element);
    this.#grip.setAttribute("aria-label", `${label}: arrow keys slide`);
    if (this.hasAttribute("playable")) this.append(this.#grip);
    this.#readOut();
  }

  /** @override @param {FocusOptions} [options] */
  focus(options) {
    this.#grip.focus(options);
  }

  /** @returns {Board} */
  get cells() {
    return this.#cells;
  }

  /**
   * Shows a board.
   * @param {Board} cells
   * @param {readonly Motion[]} [motions] from the board shown before; without them the nearest tiles go where they fit
   * @param {{back?: boolean}} [how] `back` where the motions are those of a slide that is taken back
   */
  show(cells, motions = [], { back = false } = {}) {
    if (cells.every((exponent, cell) => exponent === this.#cells[cell])) return;
    this.#cells = cells;
    const before = new Map(this.#plan.tiles.map(({ key, cell }) => [key, cell]));
    this.#plan = (back ? planBack : planTiles)(this.#plan, cells, motions);
    const slides = this.#plan.tiles.some(({ key, cell }) => before.has(key) && before.get(key) !== cell);
    this.#layer.show(this.#plan, back ? "back" : slides ? "slide" : "place");
    this.#readOut();
  }

  /** Shows a board as it is, without any motion. @param {Board} cells */
  reset(cells) {
    this.#plan = NO_TILES;
    this.#cells = EMPTY_BOARD;
    this.#layer.clear();
    this.show(cells);
  }

  #readOut() {
    this.#read.forEach((cell, index) => say(cell, this.#cells[index] === 0 ? "empty" : String(valueOf(this.#cells[index]))));
  }
}

/** @param {string} label @param {HTMLElement[]} cells @returns {HTMLTableElement} */
function tableOf(label, cells) {
  const columns = [1, 2, 3, 4].map((column) => el("th", { scope: "col", text: `Column ${column}` }));
  const rows = [1, 2, 3, 4].map((row) => el("tr", {}, el("th", { scope: "row", text: `Row ${row}` }), ...cells.slice(row * 4 - 4, row * 4)));
  const head = el("thead", {}, el("tr", {}, el("th", { text: "Rows" }), ...columns));
  return el("table", { class: "unseen" }, el("caption", { text: label }), head, el("tbody", {}, ...rows));
}

customElements.define("tile-board", TileBoard);
