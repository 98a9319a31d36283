import { el, emit, say, show } from "../dom.js";
import { EMPTY_BOARD } from "../engine/board.js";
import { listenToSwipes } from "../input.js";
import { heldAt } from "../race/awaited.js";
import { noticeOf } from "../race/notice.js";
import { whyNotOffer } from "../race/offer-wait.js";
import { motionsTo, predicted } from "../race/slides.js";
import { isAsked, nameOf, raceOf, racingSeat, standingOf, timeOf } from "../race/view.js";
import { watchersWords } from "../race/watchers.js";
import { grouped } from "../words.js";
import { CountDown } from "./count-down.js";
import { hold, onPress } from "./hold.js";
import { OfferBar } from "./offer-bar.js";
import { RaceClock } from "./race-clock.js";
import { ScorePanel } from "./score-panel.js";
import { showName } from "./shown-name.js";
import { StandingsList } from "./standings-list.js";
import { TileBoard } from "./tile-board.js";

/** @typedef {import("../race/frames.js").RaceOfTable} RaceOfTable */
/** @typedef {import("../race/frames.js").Standing} Standing */
/** @typedef {import("../race/view.js").View} View */
/** @typedef {{readonly view: View, readonly at: number, readonly now: number, readonly alive: boolean}} RaceState */

/** The last seconds are shown as such. */
const LAST_MS = 10_000;

/** A race from the countdown to the verdict; emits `ask`, `slide`, and `resign` and `leave`, which are asked about first. */
export class RaceScreen extends HTMLElement {
  #heading = el("h1", { class: "unseen", tabindex: -1, text: "The race" });
  #board = new TileBoard();
  #countdown = new CountDown();
  #stage = el("div", { class: "stage" }, el("div", { class: "on-board" }, this.#board));
  #clock = new RaceClock();
  #figures = new ScorePanel();
  #standings = new StandingsList();
  #offer = new OfferBar();
  #words = el("span");
  #notice = el("p", { class: "notice", role: "status" }, this.#words);
  #absent = el("div", { class: "actions absent" });
  #offerButton = el("button", { type: "button", text: "Offer a draw" });
  #resign = el("button", { type: "button", text: "Resign" });
  #leave = el("button", { type: "button", text: "Leave" });
  #alone = el("a", { class: "button", href: "/", text: "Play alone" });
  #watchers = el("p", { class: "quiet watchers" });
  #actions = el("div", { class: "actions" }, this.#offerButton, this.#resign, this.#leave, this.#alone, this.#watchers);
  #race = 0;
  /** The race whose board is shown. */
  #shown = 0;
  /** @type {Pick<View, "race" | "table">} what the standings show */
  #stood = { race: null, table: null };

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#board.setAttribute("label", "Your board");
    this.#board.setAttribute("playable", "");
    listenToSwipes(this.#stage, (direction) => emit(this, "slide", direction));
    onPress(this.#offerButton, () => emit(this, "ask", { type: "offer", race: this.#race }));
    onPress(this.#resign, () => emit(this, "resign", this.#race));
    onPress(this.#leave, () => emit(this, "leave"));
    const news = el("div", { class: "news" }, this.#notice, this.#offer, this.#absent);
    this.append(this.#heading, this.#clock, this.#figures, this.#standings, this.#stage, this.#countdown, news, this.#actions);
  }

  /** Takes the focus when it comes: one who races has it on the board. */
  takeFocus() {
    const part = this.classList.contains("is-watching") ? this.#heading : this.#board;
    part.focus({ preventScroll: true });
  }

  /** The screen comes anew: what it showed before is nothing to move on from. */
  begin() {
    this.#shown = 0;
    this.#board.reset(EMPTY_BOARD);
  }

  /** @param {RaceState} state */
  set state(state) {
    const { view, at, now, alive } = state;
    const held = timeOf(view, heldAt(view, at));
    const race = view.table?.race ?? null;
    if (race === null) return;
    this.#race = race.number;
    this.classList.toggle("is-watching", racingSeat(view) === null);
    this.classList.toggle("is-last", alive && race.deadline !== null && race.deadline - now <= LAST_MS);
    this.#clock.state = { rules: race.rules, startsAt: race.starts_at, deadline: race.deadline, now };
    this.#countdown.state = { left: race.starts_at === null ? null : race.starts_at - now, alive };
    this.#showBoard(view);
    this.#showStandings(view, race, held);
    this.#showNews(state, race);
    this.#showAbsent(view, absentSeats(view, held));
    this.#showActions(state);
  }

  /** @param {View} view */
  #showBoard(view) {
    const { board, slides } = view;
    if (board === null || board.race !== this.#race) return;
    const cells = predicted(slides);
    if (this.#shown === this.#race) this.#board.show(cells, motionsTo(this.#board.cells, slides));
    else this.#board.reset(cells);
    this.#shown = this.#race;
    this.#figures.figures = [
      { key: "score", label: "Score", value: grouped(board.score) },
      { key: "biggest", label: "Biggest", value: String(Math.max(...board.cells)) },
      { key: "moves", label: "Moves", value: grouped(board.n) },
    ];
  }

  /** @param {View} view @param {RaceOfTable} race @param {number} now */
  #showStandings(view, race, now) {
    const { race: news, table } = view;
    const isSame = this.#stood.race === news && this.#stood.table === table;
    if (isSame && table?.seats.every(({ connected }) => connected !== false)) return;
    this.#stood = { race: news, table };
    this.#standings.className = this.classList.contains("is-watching") ? "is-cards" : "is-strip";
    this.#standings.state = { racers: racersOf(view, race), now };
  }

  /** @param {RaceState} state @param {RaceOfTable} race */
  #showNews({ view, now, alive }, race) {
    const own = standingOf(view, racingSeat(view));
    const words = alive || racingSeat(view) === null ? noticeOf(view) : "Everyone starts from this board, and gets the same tiles.";
    say(this.#words, words);
    show(this.#notice, words !== "");
    const inRace = race.racers.filter((racer) => standingOf(view, racer.seat)?.state !== "out");
    const you = own === null || own.state === "out" ? null : racingSeat(view);
    const offer = raceOf(view)?.offer ?? null;
    this.#offer.state = { race: race.number, offer, by: nameOf(view, offer?.by ?? null), you, inRace, now, busy: isAsked(view, "answer") };
  }

  /** @param {View} view @param {number[]} seats */
  #showAbsent(view, seats) {
    if (this.#absent.dataset.seats === seats.join()) return;
    this.#absent.dataset.seats = seats.join();
    this.#absent.replaceChildren(...seats.map((seat) => {
      const name = el("bdi", { class: "name" });
      showName(name, nameOf(view, seat));
      const onclick = () => emit(this, "ask", { type: "race_on_without", race: this.#race, seat });
      return el("button", { type: "button", onclick }, "Race on without ", name);
    }));
    show(this.#absent, seats.length > 0);
  }

  /** @param {RaceState} state */
  #showActions({ view, at, alive }) {
    const seat = racingSeat(view);
    const inRace = seat !== null && standingOf(view, seat)?.state !== "out";
    show(this.#offerButton, inRace && alive);
    hold(this.#offerButton, whyNotOffer(view, at));
    show(this.#resign, inRace);
    hold(this.#resign, isAsked(view, "resign") ? "" : null);
    show(this.#leave, (view.table?.you.seat ?? null) !== null && !view.leaving);
    hold(this.#leave, isAsked(view, "leave") ? "" : null);
    show(this.#alone, seat === null || view.leaving);
    const watchers = view.table === null || seat === null ? "" : watchersWords(view.table);
    say(this.#watchers, watchers);
    show(this.#watchers, watchers !== "");
  }
}

/** @param {View} view @param {number} now @returns {number[]} the seats that one who is in the race may go on without; none while away oneself */
function absentSeats(view, now) {
  if (racingSeat(view) === null || view.unheard !== null || (standingOf(view, racingSeat(view))?.state ?? "out") === "out") return [];
  const sliding = (/** @type {number} */ seat) => standingOf(view, seat)?.state === "sliding" && seat !== racingSeat(view);
  const gone = (view.table?.seats ?? []).filter((seat) => seat.connected === false && (seat.away_until ?? Infinity) <= now);
  return gone.map(({ seat }) => seat).filter(sliding);
}

/** @param {View} view @param {RaceOfTable} race */
function racersOf(view, race) {
  return race.racers.map(({ seat, name }) => {
    const at = view.table?.seats.find((one) => one.seat === seat);
    const [connected, awayUntil] = [at?.connected !== false, at?.away_until ?? null];
    return { seat, name, you: seat === racingSeat(view), connected, awayUntil, standing: standingOf(view, seat) };
  });
}

customElements.define("race-screen", RaceScreen);
