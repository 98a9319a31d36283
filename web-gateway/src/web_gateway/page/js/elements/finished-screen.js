import { el, emit, say, show } from "../dom.js";
import { afterFreed } from "../race/freed.js";
import { isBest, placeOf, ranked, resultLine } from "../race/result.js";
import { share } from "../race/share.js";
import { whyNotAgain } from "../race/start.js";
import { verdictWords } from "../race/verdict.js";
import { isAsked, racingSeat } from "../race/view.js";
import { isolated, rulesLine } from "../words.js";
import { FinalCard } from "./final-card.js";
import { hold, onPress } from "./hold.js";
import { TileRain } from "./tile-rain.js";

/** @typedef {import("../race/frames.js").RaceOfTable} RaceOfTable */
/** @typedef {import("../race/frames.js").Standing} Standing */
/** @typedef {import("../race/frames.js").TableFrame} TableFrame */
/** @typedef {import("../race/view.js").View} View */

/** A race that is over: the verdict, all boards, the tally, and what comes next; emits `ask`, `leave` and `say`. */
export class FinishedScreen extends HTMLElement {
  #title = el("h1", { tabindex: -1 });
  #why = el("p");
  #rules = el("p", { class: "quiet" });
  #verdict = el("section", { class: "verdict", "data-testid": "verdict" }, this.#title, this.#why, this.#rules);
  #boards = el("ol", { class: "finals", "aria-label": "Standings and final boards" });
  #hint = el("p", { class: "hint quiet", id: "finished-hint" });
  #result = el("textarea", { class: "result", readonly: true, rows: 3, "aria-label": "The result, to copy" });
  #again = el("button", { type: "button", class: "is-main", text: "Play again", "aria-describedby": "finished-hint" });
  #settings = el("button", { type: "button", text: "Change settings" });
  #replay = el("a", { class: "button", text: "Replay" });
  #share = el("button", { type: "button", text: "Share result" });
  #leave = el("button", { type: "button", class: "is-bare", text: "Leave", "aria-label": "Leave the table" });
  /** @type {Map<number, FinalCard>} by seat */
  #finals = new Map();
  #rain = new TileRain();
  #race = 0;
  #isNews = false;
  #line = "";

  connectedCallback() {
    if (this.childElementCount > 0) return;
    onPress(this.#again, () => emit(this, "ask", { type: "play_again", race: this.#race }));
    onPress(this.#settings, () => emit(this, "ask", { type: "change_settings", race: this.#race }));
    onPress(this.#leave, () => emit(this, "leave"));
    this.#share.addEventListener("click", () => this.#shared());
    const alone = el("a", { class: "button is-bare", href: "/", text: "Play alone" });
    const main = el("div", { class: "actions main" }, this.#again, this.#settings);
    show(this.#result, false);
    this.append(this.#verdict, this.#boards, this.#hint, this.#result, main, el("div", { class: "actions more" }, this.#replay, this.#share, alone, this.#leave), this.#rain);
  }

  /** Takes the focus when it comes. */
  takeFocus() {
    this.#title.focus({ preventScroll: true });
  }

  /** The screen comes right after the race. */
  begin() {
    this.#isNews = true;
  }

  /** @param {{view: View, at: number}} state */
  set state({ view }) {
    const { table } = view;
    const race = table?.race ?? null;
    if (table === null || race === null) return;
    if (race.number !== this.#race) this.#begin(race, table);
    const mood = this.#showVerdict(view, race);
    if (this.#isNews && mood === "won") this.#rain.fall();
    this.#isNews = false;
    this.#showFinals(view, table);
    this.#showActions(view, table);
    this.#line = resultLine(view, `${view.hello?.link ?? location.href}/replay/${race.number}`);
  }

  /** @param {RaceOfTable} race @param {TableFrame} table */
  #begin(race, table) {
    this.#race = race.number;
    this.#finals.clear();
    this.#boards.replaceChildren();
    this.#replay.setAttribute("href", `/t/${table.table}/replay/${race.number}`);
    show(this.#result, false);
  }

  /** @param {View} view @param {RaceOfTable} race @returns {import("../race/verdict.js").Mood} */
  #showVerdict(view, race) {
    const { title, why, mood } = verdictWords(view);
    say(this.#title, title);
    say(this.#why, why);
    say(this.#rules, `${rulesLine(race.rules)}.`);
    this.#verdict.dataset.mood = mood;
    return mood;
  }

  /** @param {View} view @param {TableFrame} table */
  #showFinals(view, table) {
    const standings = ranked(view);
    for (const standing of standings) this.#fill(standing, { view, table });
    const cards = standings.map(({ seat }) => /** @type {FinalCard} */ (this.#finals.get(seat)).parentElement);
    if (cards.some((card, index) => this.#boards.children[index] !== card)) this.#boards.replaceChildren(.../** @type {HTMLElement[]} */ (cards));
  }

  /** @param {Standing} standing @param {{view: View, table: TableFrame}} all */
  #fill(standing, { view, table }) {
    const { seat } = standing;
    const name = table.race?.racers.find((racer) => racer.seat === seat)?.name ?? "";
    const cells = view.reveal?.race === this.#race ? view.reveal.boards.find((board) => board.seat === seat)?.cells : undefined;
    const seated = table.seats.find((one) => one.seat === seat && one.name === name);
    const card = this.#finals.get(seat) ?? this.#added(seat, name);
    card.final = {
      place: placeOf(view, standing),
      name,
      you: seat === racingSeat(view),
      best: isBest(view, seat),
      standing,
      cells: cells ?? null,
      tally: seated?.tally ?? null,
    };
  }

  /** @param {number} seat @param {string} name @returns {FinalCard} */
  #added(seat, name) {
    const card = new FinalCard();
    card.setAttribute("label", `${isolated(name)}'s board`);
    this.#boards.append(el("li", { "data-testid": `final-${seat}` }, card));
    this.#finals.set(seat, card);
    return card;
  }

  /** @param {View} view @param {TableFrame} table */
  #showActions(view, table) {
    const racer = racingSeat(view) !== null;
    const why = whyNotAgain(table);
    show(this.#again, racer);
    hold(this.#again, isAsked(view, "play_again") ? "" : why);
    show(this.#settings, table.you.host);
    hold(this.#settings, isAsked(view, "change_settings") ? "" : null);
    show(this.#leave, table.you.seat !== null);
    this.#hint.classList.toggle("is-why", why !== null || !racer);
    say(this.#hint, racer ? (why ?? "Play again keeps the rules and starts at once.") : afterFreed(view.freed, "You are watching. The racers decide how it goes on."));
  }

  async #shared() {
    const outcome = await share({ title: "tilerace", text: this.#line }, this.#line);
    if (outcome === "copied") emit(this, "say", "The result is copied. Paste it anywhere.");
    if (outcome === "failed") this.#showResult();
  }

  /** Where nothing can be copied, the text is there to be copied by hand. */
  #showResult() {
    this.#result.value = this.#line;
    show(this.#result, true);
    this.#result.focus();
    this.#result.select();
    emit(this, "say", "Copy the marked text.");
  }
}

customElements.define("finished-screen", FinishedScreen);
