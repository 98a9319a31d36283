import { el, say } from "../dom.js";

/** @typedef {{readonly key: string, readonly label: string, readonly value: string}} Figure */

/** A row of labelled figures: score, biggest tile, moves and so on. */
export class ScorePanel extends HTMLElement {
  /** @type {Map<string, HTMLElement>} */
  #values = new Map();

  /** @param {readonly Figure[]} figures always of the same keys */
  set figures(figures) {
    for (const { key, label, value } of figures) {
      const shown = this.#values.get(key) ?? this.#added(key, label);
      if (shown.textContent?.length !== value.length) shown.style.setProperty("--ems", String(widthOf(value)));
      say(shown, value);
    }
    const longest = String(Math.max(...figures.map(({ value }) => widthOf(value))));
    if (this.style.getPropertyValue("--longest") !== longest) this.style.setProperty("--longest", longest);
  }

  /**
   * Shows by how much a figure has just grown, for a moment and for the eye only.
   * @param {string} key
   * @param {number} points
   */
  gain(key, points) {
    const figure = this.#values.get(key)?.closest(".figure");
    figure?.querySelector(".gain")?.remove();
    if (points > 0) figure?.append(el("span", { class: "gain", "aria-hidden": "true", text: `+${points}` }));
  }

  /** @param {string} key @param {string} label @returns {HTMLElement} */
  #added(key, label) {
    const value = el("span");
    this.#values.set(key, value);
    const list = this.querySelector("dl") ?? this.appendChild(el("dl"));
    list.append(el("div", { class: `figure is-${key}` }, el("dt", { text: label }), el("dd", { "data-testid": key }, value)));
    return value;
  }
}

/** What a figure takes in ems, in the widest of faces. @param {string} value @returns {number} */
const widthOf = (value) => [...value].reduce((sum, sign) => sum + (sign === "," ? 0.4 : 0.7), 0);

customElements.define("score-panel", ScorePanel);
