import { el, say, show } from "../dom.js";
import { valueOf } from "../engine/board.js";
import { motionsOf } from "../replay/timeline.js";
import { grouped, isolated } from "../words.js";
import { showName } from "./shown-name.js";
import { TileBoard } from "./tile-board.js";

/** @typedef {import("../replay/timeline.js").Lane} Lane */
/** @typedef {import("../replay/timeline.js").RacerAt} RacerAt */
/** @typedef {import("../replay/timeline.js").Timeline} Timeline */
/** How a racer is shown: leading for now, or as one who won or shares the first place; `still` without motion. @typedef {{readonly racer: RacerAt, readonly leads: boolean, readonly best: "won" | "draw" | null, readonly still: boolean}} Showing */

/** More slides than this at once are not shown one by one. */
const MOST_AT_ONCE = 4;
const STATES = { sliding: "", stuck: "stuck", resigned: "resigned", left_behind: "left behind" };

/** One racer of a replay: name, score, board and how it goes. */
export class ReplayRacer extends HTMLElement {
  #name = el("bdi", { class: "name" });
  #best = el("span", { class: "badge", "data-mood": "good" });
  #score = el("span", { class: "score" });
  #biggest = el("span");
  #moves = el("span");
  #mark = el("span", { class: "mark" });
  #board = new TileBoard();
  #slides = -1;
  /** @type {{timeline: Timeline, lane: Lane} | null} */
  #of = null;

  /** @param {Timeline} timeline @param {Lane} lane */
  begin(timeline, lane) {
    this.#of = { timeline, lane };
    this.dataset.testid = `replay-${lane.seat}`;
    this.dataset.seat = String(lane.seat);
    showName(this.#name, lane.name);
    this.#board.setAttribute("label", `${isolated(lane.name)}'s board`);
    const head = el("p", { class: "who" }, el("i", { class: "dot", "aria-hidden": "true" }), this.#name, this.#best, this.#score);
    this.replaceChildren(head, el("p", { class: "how quiet" }, el("span", { class: "word", text: "biggest " }), this.#biggest, " · ", this.#moves), el("div", { class: "on-board" }, this.#board, this.#mark));
  }

  /** @param {Showing} showing */
  set showing({ racer, leads, best, still }) {
    this.classList.toggle("is-still", still);
    this.classList.toggle("is-leading", leads);
    this.classList.toggle("is-best", best !== null);
    this.dataset.state = racer.state;
    say(this.#best, best ?? "");
    show(this.#best, best !== null);
    say(this.#score, grouped(racer.score));
    say(this.#biggest, String(valueOf(racer.biggest)));
    say(this.#moves, `${grouped(racer.slides)} ${racer.slides === 1 ? "move" : "moves"}`);
    say(this.#mark, STATES[racer.state]);
    show(this.#mark, racer.state !== "sliding");
    this.#slideTo(racer.slides, still);
  }

  /** @param {number} slides @param {boolean} still */
  #slideTo(slides, still) {
    const by = slides - this.#slides;
    if (this.#of === null || by === 0) return;
    const { timeline, lane } = this.#of;
    const from = this.#slides;
    this.#slides = slides;
    const board = lane.track.after(slides).board;
    if (still || from < 0 || by > MOST_AT_ONCE || by < -1) return this.#board.show(board);
    if (by < 0) return this.#board.show(board, undone(motionsOf(timeline, lane, from)));
    for (let n = from + 1; n <= slides; n += 1) this.#board.show(lane.track.after(n).board, motionsOf(timeline, lane, n));
  }
}

/**
 * The ways back of the tiles that did not merge; the others come apart where they are.
 * @param {readonly import("../engine/slide.js").Motion[]} motions
 * @returns {import("../engine/slide.js").Motion[]}
 */
const undone = (motions) => motions.filter(([, , merged]) => !merged).map(([from, to]) => [to, from, false]);

customElements.define("replay-racer", ReplayRacer);
