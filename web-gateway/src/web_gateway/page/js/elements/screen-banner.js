import { el, emit, say, show } from "../dom.js";

/** @typedef {import("../race/banner.js").Banner} Banner */

/** For how long a tap that was meant for the banner is not taken by what comes to light beneath it. */
const AFTER_MS = 500;

/** Says what is to be known of the page as a whole, and what can be done about it; emits `retry`, `reload`, `later` or `move`. */
export class ScreenBanner extends HTMLElement {
  #words = el("span", { role: "status" });
  #when = el("span", { class: "when" });
  #buttons = el("div", { class: "actions" });
  #choices = "";
  #place = new DOMRect();
  #goneAt = -Infinity;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(el("p", {}, this.#words, " ", this.#when), this.#buttons);
    document.addEventListener("click", (event) => this.#isMeant(event) && (event.preventDefault(), event.stopPropagation()), { capture: true });
  }

  /** @param {Banner | null} banner */
  set banner(banner) {
    if (banner === null && !this.hidden) this.#leave();
    show(this, banner !== null);
    say(this.#words, banner?.words ?? "");
    if (banner === null) return;
    say(this.#when, banner.when);
    this.dataset.kind = banner.kind;
    this.#offer(banner.choices);
  }

  #leave() {
    this.#place = this.getBoundingClientRect();
    this.#goneAt = performance.now();
  }

  /** @param {MouseEvent} event @returns {boolean} whether it is a tap on where the banner was a moment ago; a key's click has no detail */
  #isMeant({ clientX, clientY, detail }) {
    if (detail === 0 || performance.now() - this.#goneAt > AFTER_MS) return false;
    const { left, right, top, bottom } = this.#place;
    return clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
  }

  /** @param {Banner["choices"]} choices where there are none just now, those before keep their place */
  #offer(choices) {
    this.#buttons.classList.toggle("is-held", choices.length === 0);
    if (choices.length === 0) return;
    const texts = choices.map(({ text }) => text).join();
    if (texts === this.#choices) return;
    this.#choices = texts;
    this.#buttons.replaceChildren(...choices.map(({ text, event }) => el("button", { type: "button", text, onclick: () => emit(this, event) })));
  }
}

customElements.define("screen-banner", ScreenBanner);
