import { el, emit, say, show } from "../dom.js";
import { listenToSwipes } from "../input.js";
import { motionsTo, predicted } from "../race/slides.js";
import { isAsked, nameOf, raceOf, racingSeat, standingOf } from "../race/view.js";
import { grouped } from "../words.js";
import { CountDown } from "./count-down.js";
import { OfferBar } from "./offer-bar.js";
import { RaceClock } from "./race-clock.js";
import { ScorePanel } from "./score-panel.js";
import { StandingsList } from "./standings-list.js";
import { TileBoard } from "./tile-board.js";

/** @typedef {import("../race/frames.js").RaceOfTable} RaceOfTable */
/** @typedef {import("../race/frames.js").Standing} Standing */
/** @typedef {import("../race/view.js").View} View */
/** @typedef {{readonly view: View, readonly now: number, readonly alive: boolean}} RaceState */

/** A race from the countdown to the verdict; emits `ask`, `slide`, and `resign`, which is asked about first. */
export class RaceScreen extends HTMLElement {
  #board = new TileBoard();
  #countdown = new CountDown();
  #stage = el("div", { class: "stage" }, el("div", { class: "on-board" }, this.#board, this.#countdown));
  #clock = new RaceClock();
  #figures = new ScorePanel();
  #standings = new StandingsList();
  #offer = new OfferBar();
  #notice = el("p", { class: "notice", role: "status" });
  #absent = el("div", { class: "actions absent" });
  #offerButton = el("button", { type: "button", text: "Offer a draw" });
  #resign = el("button", { type: "button", text: "Resign" });
  #leave = el("button", { type: "button", text: "Leave the table" });
  #actions = el("div", { class: "actions" }, this.#offerButton, this.#resign, this.#leave);
  #race = 0;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#board.setAttribute("label", "Your board");
    listenToSwipes(this.#stage, (direction) => emit(this, "slide", direction));
    this.#offerButton.addEventListener("click", () => emit(this, "ask", { type: "offer", race: this.#race }));
    this.#resign.addEventListener("click", () => emit(this, "resign", this.#race));
    this.#leave.addEventListener("click", () => emit(this, "ask", { type: "leave" }));
    const news = el("div", { class: "news" }, this.#notice, this.#offer, this.#absent);
    this.append(el("h1", { class: "unseen", text: "The race" }), this.#clock, this.#figures, this.#standings, this.#stage, news, this.#actions);
  }

  /** @param {RaceState} state */
  set state(state) {
    const { view, now, alive } = state;
    const race = view.table?.race ?? null;
    if (race === null) return;
    this.#race = race.number;
    const seat = racingSeat(view);
    const own = standingOf(view, seat);
    this.classList.toggle("is-watching", seat === null);
    this.#clock.state = { rules: race.rules, startsAt: race.starts_at, deadline: race.deadline, now };
    this.#countdown.state = { left: race.starts_at === null ? null : alive ? 0 : Math.max(1, race.starts_at - now) };
    this.#showBoard(view);
    this.#standings.state = { racers: racersOf(view, race), now };
    this.#showNews(state, race);
    const stands = raceOf(view)?.offer ?? null;
    const inRace = seat !== null && own?.state !== "out";
    show(this.#offerButton, inRace && alive);
    this.#offerButton.disabled = stands !== null || isAsked(view, "offer");
    show(this.#resign, inRace);
    this.#resign.disabled = isAsked(view, "resign");
    show(this.#leave, seat === null ? view.table?.you.seat !== null : own?.state === "stuck" || own?.state === "out");
  }

  /** @param {View} view */
  #showBoard(view) {
    const { board, slides } = view;
    if (board === null || board.race !== this.#race) return;
    const cells = predicted(slides);
    this.#board.show(cells, motionsTo(this.#board.cells, slides));
    this.#figures.figures = [
      { key: "score", label: "Score", value: grouped(board.score) },
      { key: "biggest", label: "Biggest", value: String(Math.max(...board.cells)) },
      { key: "moves", label: "Moves", value: grouped(board.n) },
    ];
  }

  /** @param {RaceState} state @param {RaceOfTable} race */
  #showNews({ view, now }, race) {
    const seat = racingSeat(view);
    const own = standingOf(view, seat);
    const words = noticeWords(seat, own);
    say(this.#notice, words);
    show(this.#notice, words !== "");
    const inRace = race.racers.filter((racer) => standingOf(view, racer.seat)?.state !== "out");
    const you = seat !== null && own?.state !== "out" ? seat : null;
    this.#offer.state = { race: race.number, offer: raceOf(view)?.offer ?? null, you, inRace, now };
    this.#showAbsent(view, you === null ? [] : absentSeats(view, now));
  }

  /** @param {View} view @param {number[]} seats */
  #showAbsent(view, seats) {
    if (this.#absent.dataset.seats === seats.join()) return;
    this.#absent.dataset.seats = seats.join();
    this.#absent.replaceChildren(...seats.map((seat) => el("button", {
      type: "button",
      text: `Race on without ${nameOf(view, seat)}`,
      onclick: () => emit(this, "ask", { type: "race_on_without", race: this.#race, seat }),
    })));
    show(this.#absent, seats.length > 0);
  }
}

/** @param {number | null} seat @param {Standing | null} own @returns {string} */
function noticeWords(seat, own) {
  if (seat === null) return "You are watching. All boards are shown when the race is over.";
  if (own?.state === "stuck") return `No slide is left for you. Your score of ${grouped(own.score)} stands.`;
  if (own?.state !== "out") return "";
  return own.out === "left_behind" ? "The others raced on without you." : "You have resigned.";
}

/** @param {View} view @param {number} now @returns {number[]} the seats that one may race on without */
function absentSeats(view, now) {
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
