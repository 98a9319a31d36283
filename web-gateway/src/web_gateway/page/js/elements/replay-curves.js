import { curvesOf } from "../replay/curve.js";

/** @typedef {import("../replay/curve.js").Curve} Curve */
/** @typedef {import("../replay/timeline.js").Timeline} Timeline */

const SVG = "http://www.w3.org/2000/svg";
/** The drawing's own measures; the edge keeps the highest line whole. */
const [WIDE, HIGH, EDGE] = [1000, 100, 3];

/** Everyone's score through the race, for the eye only: the numbers stand with each board. */
export class ReplayCurves extends HTMLElement {
  connectedCallback() {
    this.setAttribute("aria-hidden", "true");
  }

  /** @param {Timeline} timeline */
  begin(timeline) {
    const drawing = document.createElementNS(SVG, "svg");
    drawing.setAttribute("viewBox", `0 ${-EDGE} ${WIDE} ${HIGH + 2 * EDGE}`);
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.append(...curvesOf(timeline).map((curve, index) => lineOf(curve, timeline.lanes[index].seat)));
    const later = document.createElement("i");
    this.replaceChildren(drawing, later);
  }

  /** @param {number} gone how much of the race, 0 to 1 */
  set gone(gone) {
    const shown = gone.toFixed(3);
    if (this.style.getPropertyValue("--gone") !== shown) this.style.setProperty("--gone", shown);
  }
}

/** @param {Curve} curve @param {number} seat @returns {SVGElement} */
function lineOf(curve, seat) {
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("points", curve.map(([across, up]) => `${Math.round(across * WIDE)},${((1 - up) * HIGH).toFixed(1)}`).join(" "));
  line.setAttribute("data-seat", String(seat));
  return line;
}

customElements.define("replay-curves", ReplayCurves);
