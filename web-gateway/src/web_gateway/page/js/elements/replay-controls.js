import { el, emit } from "../dom.js";
import { SPEEDS } from "../replay/player.js";
import { icon } from "./replay-icons.js";
import { ReplayScrubber } from "./replay-scrubber.js";

/** @typedef {import("../replay/player.js").Player} Player */
/** @typedef {import("../replay/timeline.js").Timeline} Timeline */
/** @typedef {import("./replay-icons.js").Icon} Icon */

/** Each with the key that does the same, and its name. @type {[icon: Icon & ("start" | "back" | "on" | "end"), label: string, key: string, name: string][]} */
const STEPS = [
  ["start", "To the start", "Home", "Home"],
  ["back", "One slide back", "ArrowLeft", "←"],
  ["on", "One slide on", "ArrowRight", "→"],
  ["end", "To the end", "End", "End"],
];

/** What a replay is played with; emits `act` with what is wanted, `speed`, and what the scrubber does. */
export class ReplayControls extends HTMLElement {
  #scrubber = new ReplayScrubber();
  #playing = [icon("play"), icon("pause")];
  #play = el("button", { type: "button", class: "is-main play", "aria-keyshortcuts": "Space", title: "Play or pause (Space)", onclick: () => emit(this, "act", "toggle") }, ...this.#playing);
  #speeds = SPEEDS.map((speed) => el("button", { type: "button", text: speed === 0.5 ? "½×" : `${speed}×`, "aria-label": speedName(speed), onclick: () => emit(this, "speed", speed) }));
  #skips = el("input", { type: "checkbox", role: "switch", onchange: () => emit(this, "act", "skips") });
  #verify = el("button", { type: "button", class: "verify", onclick: () => emit(this, "act", "verify") }, icon("verify"), "Verify");

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const [start, back, on, end] = STEPS.map((step) => this.#step(step));
    const steps = el("div", { class: "steps", role: "group", "aria-label": "Play" }, start, back, this.#play, on, end);
    const speeds = el("div", { class: "segments", role: "group", "aria-label": "Speed" }, ...this.#speeds);
    for (const group of [steps, speeds]) group.addEventListener("click", leaveFocus);
    this.append(this.#scrubber, el("div", { class: "pace" }, speeds, el("label", { class: "switch" }, el("span", { text: "Skip pauses" }), this.#skips)), steps, this.#verify);
  }

  /** @param {typeof STEPS[number]} step @returns {HTMLElement} */
  #step([act, label, key, name]) {
    const traits = { "aria-label": label, title: `${label} (${name})`, "aria-keyshortcuts": key };
    return el("button", { type: "button", class: `is-bare ${act}`, ...traits, onclick: () => emit(this, "act", act) }, icon(act));
  }

  /** @param {Timeline} timeline */
  begin(timeline) {
    this.#scrubber.begin(timeline);
  }

  /** @param {Player} player */
  set player({ ms, playing, speed, skips }) {
    this.#scrubber.moment = ms;
    this.#playing.forEach((drawing, index) => drawing.classList.toggle("is-away", playing !== (index === 1)));
    setOnce(this.#play, "aria-label", playing ? "Pause" : "Play");
    this.#speeds.forEach((button, index) => setOnce(button, "aria-pressed", String(SPEEDS[index] === speed)));
    this.#skips.checked = skips;
  }
}

/** Space plays and pauses after a button was clicked or tapped, too; by the keyboard it presses the button again. @param {MouseEvent} event */
function leaveFocus({ detail }) {
  if (detail > 0 && document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** @param {number} speed @returns {string} */
const speedName = (speed) => (speed === 0.5 ? "Half speed" : speed === 1 ? "Normal speed" : `${speed} times as fast`);

/** @param {Element} element @param {string} name @param {string} value */
function setOnce(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

customElements.define("replay-controls", ReplayControls);
