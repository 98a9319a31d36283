import { el, say } from "../dom.js";

/** @typedef {{readonly key: string, readonly label: string, readonly value: string}} Figure */

/** A row of labelled figures: score, biggest tile, moves and so on. */
export class ScorePanel extends HTMLElement {
  /** @type {Map<string, HTMLElement>} */
  #values = new Map();

  /** @param {readonly Figure[]} figures always of the same keys */
  set figures(figures) {
    for (const figure of figures) {
      const value = this.#values.get(figure.key) ?? this.#added(figure);
      say(value, figure.value);
      value.style.setProperty("--digits", String(Math.max(4, figure.value.length)));
    }
  }

  /** @param {Figure} figure @returns {HTMLElement} */
  #added({ key, label }) {
    const value = el("dd", { "data-testid": key });
    this.#values.set(key, value);
    const list = this.querySelector("dl") ?? this.appendChild(el("dl"));
    list.append(el("div", { class: "figure" }, el("dt", { text: label }), value));
    return value;
  }
}

customElements.define("score-panel", ScorePanel);
