import { el, emit, say, show } from "../dom.js";
import { boardOfValues } from "../engine/board.js";
import { verdictWords } from "../race/verdict.js";
import { isAsked, racingSeat, standingOf, verdictOf } from "../race/view.js";
import { grouped, tallyWords } from "../words.js";
import { TileBoard } from "./tile-board.js";

/** @typedef {import("../race/frames.js").RaceOfTable} RaceOfTable */
/** @typedef {import("../race/view.js").View} View */
/** @typedef {{item: HTMLLIElement, board: TileBoard, name: HTMLElement, line: HTMLElement, tally: HTMLElement}} Final */

/** A race that is over: the verdict, all boards, the tally, and what comes next; emits `ask`. */
export class FinishedScreen extends HTMLElement {
  #title = el("h1");
  #why = el("p");
  #verdict = el("section", { class: "verdict", role: "status", "data-testid": "verdict" }, this.#title, this.#why);
  #boards = el("ol", { class: "finals", "aria-label": "Final boards" });
  #again = el("button", { type: "button", class: "is-main", text: "Play again" });
  #settings = el("button", { type: "button", text: "Change settings" });
  #leave = el("button", { type: "button", class: "is-bare", text: "Leave the table" });
  #hint = el("p", { class: "quiet" });
  /** @type {Map<number, Final>} */
  #finals = new Map();
  #race = 0;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#again.addEventListener("click", () => emit(this, "ask", { type: "play_again", race: this.#race }));
    this.#settings.addEventListener("click", () => emit(this, "ask", { type: "change_settings", race: this.#race }));
    this.#leave.addEventListener("click", () => emit(this, "ask", { type: "leave" }));
    this.append(this.#verdict, this.#boards, this.#hint, el("div", { class: "actions" }, this.#again, this.#settings, this.#leave));
  }

  /** @param {{view: View}} state */
  set state({ view }) {
    const race = view.table?.race ?? null;
    if (race === null) return;
    if (race.number !== this.#race) this.#begin(race.number);
    const { title, why, mood } = verdictWords(view);
    say(this.#title, title);
    say(this.#why, why);
    this.#verdict.dataset.mood = mood;
    for (const { seat, name } of race.racers) this.#fill(this.#finals.get(seat) ?? this.#added(seat, name), seat, view);
    const racer = racingSeat(view) !== null;
    show(this.#again, racer);
    this.#again.disabled = isAsked(view, "play_again");
    show(this.#settings, view.table?.you.host === true);
    this.#settings.disabled = isAsked(view, "change_settings");
    show(this.#leave, view.table?.you.seat !== null);
    say(this.#hint, racer ? "Play again keeps the rules and starts at once." : "The racers decide how it goes on.");
  }

  /** @param {number} race */
  #begin(race) {
    this.#race = race;
    this.#finals.clear();
    this.#boards.replaceChildren();
  }

  /** @param {number} seat @param {string} racer @returns {Final} */
  #added(seat, racer) {
    const board = new TileBoard();
    board.setAttribute("label", `${racer}'s board`);
    const [name, line, tally] = [el("strong"), el("span", { class: "quiet" }), el("span", { class: "badge" })];
    const item = el("li", { "data-testid": `final-${seat}` }, board, el("p", {}, name, tally), line);
    this.#boards.append(item);
    const final = { item, board, name, line, tally };
    this.#finals.set(seat, final);
    return final;
  }

  /** @param {Final} final @param {number} seat @param {View} view */
  #fill(final, seat, view) {
    const verdict = verdictOf(view);
    const racer = view.table?.race?.racers.find((one) => one.seat === seat);
    const standing = standingOf(view, seat);
    const cells = view.reveal?.race === this.#race ? view.reveal.boards.find((board) => board.seat === seat)?.cells : undefined;
    if (cells !== undefined) final.board.show(boardOfValues(cells));
    final.item.classList.toggle("is-best", verdict?.winner === seat || verdict?.tied.includes(seat) === true);
    say(final.name, seat === racingSeat(view) ? `${racer?.name} (you)` : (racer?.name ?? ""));
    say(final.line, standing === null ? "" : `${grouped(standing.score)} points · ${grouped(standing.slides)} moves${outWords(standing)}`);
    const tally = view.table?.seats.find((one) => one.seat === seat)?.tally;
    say(final.tally, tally === undefined ? "" : `${tallyWords(tally)} won`);
    show(final.tally, tally !== undefined);
  }
}

/** @param {import("../race/frames.js").Standing} standing @returns {string} */
function outWords({ state, out }) {
  if (state !== "out") return state === "stuck" ? " · stuck" : "";
  return out === "left_behind" ? " · left behind" : " · resigned";
}

customElements.define("finished-screen", FinishedScreen);
