import { el, say, show } from "../dom.js";
import { goalWords, minutes, rulesLine } from "../words.js";

/** @typedef {import("../race/frames.js").Rules} Rules */
/** @typedef {{readonly rules: Rules, readonly startsAt: number | null, readonly deadline: number | null, readonly now: number}} ClockState */

/** The last seconds are shown as such. */
const LAST_MS = 10_000;

/** A race's clock: the time left, or the time gone where there is no deadline. */
export class RaceClock extends HTMLElement {
  #rules = el("p", { class: "quiet" });
  #goal = el("p", { class: "goal" });
  #label = el("span", { class: "unseen" });
  #value = el("span", { "data-testid": "clock" });
  #time = el("p", { class: "time", role: "timer" }, this.#label, this.#value);
  #left = el("i");
  #bar = el("div", { class: "bar", "aria-hidden": "true" }, this.#left);

  connectedCallback() {
    if (this.childElementCount === 0) this.append(this.#rules, this.#goal, this.#time, this.#bar);
  }

  /** @param {ClockState} state */
  set state({ rules, startsAt, deadline, now }) {
    say(this.#rules, rulesLine(rules));
    say(this.#goal, goalWords(rules));
    const gone = Math.max(0, now - (startsAt ?? now));
    const left = deadline === null ? null : Math.max(0, deadline - Math.max(now, startsAt ?? now));
    say(this.#label, left === null ? "Time gone: " : "Time left: ");
    say(this.#value, minutes(left ?? Math.floor(gone / 1000) * 1000));
    this.classList.toggle("is-last", left !== null && left <= LAST_MS);
    show(this.#bar, left !== null);
    if (left !== null && deadline !== null && startsAt !== null) this.#left.style.setProperty("--left", String(left / (deadline - startsAt)));
  }
}

customElements.define("race-clock", RaceClock);
