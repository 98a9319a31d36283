import { el, say } from "../dom.js";

/** @typedef {import("../race/view.js").Line} Line */

/** @type {Readonly<Record<Line, string>>} */
const WORDS = {
  connecting: "connecting…",
  open: "connected",
  reconnecting: "reconnecting…",
  moved: "paused",
  gone: "closed",
  refused: "closed",
};

/** How the connection is, and how long a round trip takes. */
export class LineBadge extends HTMLElement {
  #words = el("span", { "data-testid": "line" });

  connectedCallback() {
    if (this.childElementCount === 0) this.append(el("i", { "aria-hidden": "true" }), this.#words);
  }

  /** @param {{line: Line, roundTrip: number | null, offline: boolean}} state */
  set state({ line, roundTrip, offline }) {
    this.dataset.line = line;
    const words = offline && line !== "open" ? "offline" : WORDS[line];
    say(this.#words, line === "open" && roundTrip !== null ? `${Math.max(1, Math.round(roundTrip))} ms` : words);
    this.title = line === "open" ? "Connected; the round trip to the server" : words;
  }
}

customElements.define("line-badge", LineBadge);
