import { el, emit, say, show } from "../dom.js";

/** @typedef {import("../race/banner.js").Banner} Banner */

/** Says what is to be known of the page as a whole, and what can be done about it; emits `retry`, `reload` or `later`. */
export class ScreenBanner extends HTMLElement {
  #words = el("span", { role: "status" });
  #when = el("span", { class: "when" });
  #buttons = el("div", { class: "actions" });
  #choices = "";

  connectedCallback() {
    if (this.childElementCount === 0) this.append(el("p", {}, this.#words, " ", this.#when), this.#buttons);
  }

  /** @param {Banner | null} banner */
  set banner(banner) {
    show(this, banner !== null);
    say(this.#words, banner?.words ?? "");
    if (banner === null) return;
    say(this.#when, banner.when);
    this.dataset.kind = banner.kind;
    this.#offer(banner.choices);
  }

  /** @param {Banner["choices"]} choices */
  #offer(choices) {
    const texts = choices.map(({ text }) => text).join();
    if (texts === this.#choices) return;
    this.#choices = texts;
    this.#buttons.replaceChildren(...choices.map(({ text, event }) => el("button", { type: "button", text, onclick: () => emit(this, event) })));
  }
}

customElements.define("screen-banner", ScreenBanner);
