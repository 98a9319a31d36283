import { el, emit } from "../dom.js";
import { spokenTime } from "../replay/words.js";

/** @typedef {import("../replay/marks.js").Mark} Mark */
/** @typedef {import("../replay/timeline.js").Timeline} Timeline */

/** In how many steps the thumb goes through a race. */
const STEPS = 1500;

/** How the marks of a race are coloured. @type {Readonly<Record<Mark["kind"], string>>} */
const MOODS = { first: "calm", offered: "offer", agreed: "offer", declined: "offer", lapsed: "offer", slid_off: "offer", stuck: "bad", resigned: "bad", left_behind: "bad", time_up: "end", verdict: "end" };

/** The whole race as a line to drag along, with its marks; emits `seek`, and `seeking` while it is held. */
export class ReplayScrubber extends HTMLElement {
  #range = el("input", { type: "range", step: "any", "aria-label": "Moment of the race" });
  #marks = el("div", { class: "marks", "aria-hidden": "true" });
  #from = 0;
  #to = 0;
  #step = -1;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#range.addEventListener("input", () => (emit(this, "seeking", true), emit(this, "seek", this.#range.valueAsNumber)));
    this.#range.addEventListener("change", () => emit(this, "seeking", false));
    this.append(this.#marks, this.#range);
  }

  /** @param {Timeline} timeline */
  begin({ from, to, marks }) {
    const span = Math.max(1, to - from);
    [this.#from, this.#to, this.#step] = [from, from + span, -1];
    this.#range.min = String(from);
    this.#range.max = String(from + span);
    this.#marks.replaceChildren(...marks.map((mark) => markOf(mark, (mark.ms - from) / span)));
  }

  /** @param {number} ms */
  set moment(ms) {
    const gone = (ms - this.#from) / (this.#to - this.#from);
    // What moves less than can be seen costs a layout all the same.
    if (Math.round(gone * STEPS) === this.#step) return;
    this.#step = Math.round(gone * STEPS);
    this.#range.value = String(ms);
    this.style.setProperty("--gone", gone.toFixed(4));
    const words = `${ms < 0 ? "before the start" : spokenTime(ms)}, of ${spokenTime(this.#to)}`;
    if (this.#range.getAttribute("aria-valuetext") !== words) this.#range.setAttribute("aria-valuetext", words);
  }
}

/** @param {Mark} mark @param {number} at 0 to 1 @returns {HTMLElement} */
function markOf({ kind }, at) {
  const mark = el("i", { "data-mood": MOODS[kind] });
  mark.style.setProperty("--at", String(at));
  return mark;
}

customElements.define("replay-scrubber", ReplayScrubber);
