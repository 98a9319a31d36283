import { el, say, show } from "../dom.js";
import { boardOfValues } from "../engine/board.js";
import { grouped, tallyWords } from "../words.js";
import { showName } from "./shown-name.js";
import { TileBoard } from "./tile-board.js";

/** @typedef {import("../race/frames.js").Standing} Standing */
/**
 * @typedef {object} Final
 * @property {number} place from 1; those who share it have the same
 * @property {string} name
 * @property {boolean} you
 * @property {boolean} best
 * @property {Standing | null} standing
 * @property {readonly number[] | null} cells values; null until they are told
 * @property {number | null} tally null for one who has left
 */

/** How one racer ended: place, name, board, score and tally. */
export class FinalCard extends HTMLElement {
  #place = el("span", { class: "place" });
  #name = el("bdi", { class: "name" });
  #you = el("span", { class: "you", text: "(you)" });
  #tally = el("span", { class: "badge" });
  #board = new TileBoard();
  #score = el("strong", { class: "score" });
  #line = el("span", { class: "quiet" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#board.setAttribute("label", this.getAttribute("label") ?? "Board");
    this.append(
      el("p", { class: "who" }, this.#place, this.#name, this.#you),
      this.#board,
      el("p", { class: "how" }, this.#score, this.#tally, this.#line),
    );
  }

  /** @param {Final} final */
  set final({ place, name, you, best, standing, cells, tally }) {
    this.classList.toggle("is-best", best);
    say(this.#place, String(place));
    showName(this.#name, name);
    show(this.#you, you);
    say(this.#tally, tally === null ? "has left" : `${tallyWords(tally)} won`);
    if (cells !== null) this.#board.show(boardOfValues(cells));
    say(this.#score, grouped(standing?.score ?? 0));
    say(this.#line, standing === null ? "" : `${grouped(standing.slides)} ${standing.slides === 1 ? "move" : "moves"}${endWords(standing)}`);
  }
}

/** @param {Standing} standing @returns {string} */
function endWords({ state, out }) {
  if (state !== "out") return state === "stuck" ? " · stuck" : "";
  return out === "left_behind" ? " · left behind" : " · resigned";
}

customElements.define("final-card", FinalCard);
