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

const SLOW = "The server is slow.";

/** How the connection is, and how long a round trip takes. */
export class LineBadge extends HTMLElement {
  #words = el("span", { "data-testid": "line" });
  /** What is heard does not change with every move. */
  #heard = el("span", { class: "unseen", role: "status" });

  connectedCallback() {
    if (this.childElementCount === 0) this.append(el("i", { "aria-hidden": "true" }), this.#words, this.#heard);
  }

  /** @param {{line: Line, roundTrip: number | null, offline: boolean, slow: string | null}} state */
  set state({ line, roundTrip, offline, slow }) {
    const isSlow = slow !== null && !offline;
    this.dataset.line = isSlow ? "slow" : line;
    say(this.#heard, isSlow ? SLOW : "");
    if (!isSlow) this.#showLine({ line, roundTrip, offline: offline && (line !== "open" || slow !== null) });
    else {
      say(this.#words, slow === "" ? SLOW : `${SLOW}\n${slow}`);
      this.title = "Connected, but answers come late";
    }
  }

  /** @param {{line: Line, roundTrip: number | null, offline: boolean}} state */
  #showLine({ line, roundTrip, offline }) {
    const words = offline ? "offline" : WORDS[line];
    say(this.#words, line === "open" && roundTrip !== null && !offline ? `${Math.max(1, Math.round(roundTrip))} ms` : words);
    this.title = line === "open" && !offline ? "Connected; the round trip to the server" : words;
  }
}

customElements.define("line-badge", LineBadge);
