import { el, say, show } from "../dom.js";

/** The seconds before the boards come alive, over the board. */
export class CountDown extends HTMLElement {
  #digit = el("b");
  #words = el("p", { text: "Get ready" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.setAttribute("role", "status");
    this.append(this.#digit, this.#words);
  }

  /** @param {{left: number | null}} state milliseconds; null while the race is being dealt */
  set state({ left }) {
    show(this, left === null || left > 0);
    const words = left === null ? "…" : String(Math.ceil(left / 1000));
    if (this.#digit.textContent === words) return;
    say(this.#digit, words);
    this.#digit.getAnimations().forEach((animation) => (animation.currentTime = 0));
  }
}

customElements.define("count-down", CountDown);
