import { el, emit, say, show } from "../dom.js";
import { clockName, rulesLine, rulesName } from "../words.js";

/** @typedef {import("../race/frames.js").Rules} Rules */
/** @typedef {{readonly rules: Rules, readonly clocks: readonly number[], readonly mayChange: boolean}} RulesState */

const TARGETS = [64, 128, 256, 512, 1024, 2048, 4096, 8192];
const PRESETS = ["First to 2048", "Against the clock", "Endless"];
const USUAL_CLOCK_S = 180;

/** A race's rules: shown to everyone, changed by the host; emits `ask`. */
export class RulesForm extends HTMLElement {
  #name = el("strong");
  #line = el("p", { class: "quiet" });
  #target = el("select", { name: "target" });
  #clock = el("select", { name: "clock" });
  #presets = PRESETS.map((text, index) => el("button", { type: "button", text, onclick: () => this.#choose(this.#preset(index)) }));
  #form = el("div", { class: "rules" });
  /** @type {RulesState} */
  #state = { rules: { target: 2048, clock_s: null }, clocks: [], mayChange: false };

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#target.append(el("option", { value: "", text: "None" }), ...TARGETS.map((target) => el("option", { value: target, text: String(target) })));
    for (const select of [this.#target, this.#clock]) select.addEventListener("change", () => this.#choose(this.#selected()));
    this.#form.append(
      el("div", { class: "presets", role: "group", "aria-label": "Kinds of race" }, ...this.#presets),
      el("label", {}, "Target", this.#target),
      el("label", {}, "Clock", this.#clock),
    );
    this.append(el("h2", { text: "The race" }), this.#form, el("div", { class: "chosen" }, el("p", {}, this.#name), this.#line));
  }

  /** @param {RulesState} state */
  set state(state) {
    const clocks = state.rules.clock_s === null || state.clocks.includes(state.rules.clock_s) ? state.clocks : [...state.clocks, state.rules.clock_s];
    if (clocks.join() !== this.#state.clocks.join()) this.#offer(clocks);
    this.#state = { ...state, clocks };
    show(this.#form, state.mayChange);
    say(this.#name, rulesName(state.rules));
    say(this.#line, rulesLine(state.rules));
    this.#select(this.#target, String(state.rules.target ?? ""));
    this.#select(this.#clock, String(state.rules.clock_s ?? ""));
    this.#presets.forEach((button, index) => button.setAttribute("aria-pressed", String(isSame(this.#preset(index), state.rules))));
  }

  /** @param {readonly number[]} clocks */
  #offer(clocks) {
    this.#clock.replaceChildren(el("option", { value: "", text: "None" }), ...clocks.map((clock) => el("option", { value: clock, text: clockName(clock) })));
  }

  /** @param {HTMLSelectElement} select @param {string} value an open list is left alone */
  #select(select, value) {
    if (select.value !== value) select.value = value;
  }

  /** @param {number} index @returns {Rules} */
  #preset(index) {
    const { clocks } = this.#state;
    const clock = clocks.includes(USUAL_CLOCK_S) ? USUAL_CLOCK_S : (clocks[0] ?? USUAL_CLOCK_S);
    return [{ target: 2048, clock_s: null }, { target: null, clock_s: clock }, { target: null, clock_s: null }][index];
  }

  /** @returns {Rules} */
  #selected() {
    const { value: target } = this.#target;
    const { value: clock } = this.#clock;
    return { target: target === "" ? null : Number(target), clock_s: clock === "" ? null : Number(clock) };
  }

  /** @param {Rules} rules */
  #choose(rules) {
    if (!isSame(rules, this.#state.rules)) emit(this, "ask", { type: "rules", ...rules });
  }
}

/** @param {Rules} one @param {Rules} other @returns {boolean} */
const isSame = (one, other) => one.target === other.target && one.clock_s === other.clock_s;

customElements.define("rules-form", RulesForm);
