import { el, show } from "../dom.js";

/** For how long it is said that the boards are alive. */
const GO_MS = 700;

/** The seconds before the boards come alive, and the moment when they do. Lets every touch through. */
export class CountDown extends HTMLElement {
  #digit = el("b");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    // What is heard of it is said once, by the page's live region.
    this.setAttribute("aria-hidden", "true");
    this.append(this.#digit);
  }

  /** @param {{left: number | null, alive: boolean}} state milliseconds to the start; null while the race is being dealt */
  set state({ left, alive }) {
    const going = alive && left !== null && left > -GO_MS;
    show(this, !alive || going);
    if (this.hidden) return;
    const words = going ? "Go!" : left === null ? "…" : String(Math.max(1, Math.ceil(left / 1000)));
    if (this.#digit.dataset.count === words) return;
    this.#digit.dataset.count = words;
    for (const animation of this.#digit.getAnimations()) animation.currentTime = 0;
  }
}

customElements.define("count-down", CountDown);
