import { el, emit, show } from "../dom.js";
import { isAlive, screenOf } from "../race/view.js";
import { FinishedScreen } from "./finished-screen.js";
import { GatheringScreen } from "./gathering-screen.js";
import { LineBadge } from "./line-badge.js";
import { LineNotice } from "./line-notice.js";
import { RaceScreen } from "./race-screen.js";
import { ToastList } from "./toast-list.js";

/** @typedef {import("../race/view.js").Screen} Screen */
/** @typedef {import("../race/view.js").View} View */

/** The whole table page: the screen that the phase asks for, the connection, and what there is to say. */
export class TableScreen extends HTMLElement {
  #waiting = el("p", { class: "waiting quiet", role: "status", text: "Coming to the table…" });
  #gathering = new GatheringScreen();
  #race = new RaceScreen();
  #finished = new FinishedScreen();
  #notice = new LineNotice();
  #toasts = new ToastList();
  #line = new LineBadge();
  /** @type {Screen} */
  #shown = "waiting";

  connectedCallback() {
    if (this.childElementCount > 0) return;
    for (const screen of [this.#gathering, this.#race, this.#finished, this.#notice]) show(screen, false);
    this.append(this.#waiting, this.#gathering, this.#race, this.#finished, this.#notice, this.#toasts);
    document.querySelector(".top nav")?.before(this.#line);
  }

  /** @param {{view: View, at: number, now: number}} state */
  set state({ view, at, now }) {
    const gone = view.line === "gone" || view.line === "moved" || view.line === "refused";
    const screen = gone ? null : screenOf(view, at);
    this.#line.state = { line: view.line, roundTrip: view.clock.roundTrip };
    this.#notice.line = view.line;
    this.#toasts.toasts = view.toasts;
    show(this.#waiting, screen === "waiting");
    show(this.#gathering, screen === "gathering");
    show(this.#race, screen === "countdown" || screen === "racing");
    show(this.#finished, screen === "finished");
    if (screen === "gathering") this.#gathering.state = { view, now };
    if (screen === "countdown" || screen === "racing") this.#race.state = { view, now, alive: isAlive(view, at) };
    if (screen === "finished") this.#finished.state = { view };
    if (screen !== null && screen !== this.#shown) this.#turned(screen);
  }

  /** @param {Screen} screen */
  #turned(screen) {
    if (this.#shown === "racing" || this.#shown === "countdown") if (screen !== "racing") emit(this, "race-over");
    this.#shown = screen;
    scrollTo(0, 0);
  }
}

customElements.define("table-screen", TableScreen);
