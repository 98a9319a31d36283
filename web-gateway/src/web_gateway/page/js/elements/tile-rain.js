import { el } from "../dom.js";

/** The tiles that come down, by their exponents. */
const TILES = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 11];
const TIMES = 2;

/** Tiles that come down once, for the eye only; each falls in its own way. */
export class TileRain extends HTMLElement {
  connectedCallback() {
    this.setAttribute("aria-hidden", "true");
  }

  fall() {
    const count = TILES.length * TIMES;
    this.replaceChildren(...Array.from({ length: count }, (_, number) => fallen(TILES[number % TILES.length], number / count)));
    this.lastElementChild?.addEventListener("animationend", () => this.replaceChildren());
  }
}

/** @param {number} exponent @param {number} across 0 to 1 @returns {HTMLElement} */
function fallen(exponent, across) {
  const tile = el("i", { "data-exponent": exponent });
  const chance = (/** @type {number} */ spread) => (Math.random() - 0.5) * spread;
  tile.style.setProperty("--across", `${Math.round(100 * across + chance(8))}%`);
  tile.style.setProperty("--aside", `${Math.round(chance(20))}vmin`);
  tile.style.setProperty("--turn", `${Math.round(chance(900))}deg`);
  tile.style.setProperty("--wait", `${Math.round(200 + Math.random() * 900)}ms`);
  return tile;
}

customElements.define("tile-rain", TileRain);
