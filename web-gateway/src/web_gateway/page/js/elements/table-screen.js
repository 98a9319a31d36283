import { el, emit, say, show } from "../dom.js";
import { heldAt, isLongComing, isSlow } from "../race/awaited.js";
import { bannerOf, waitingWords } from "../race/banner.js";
import { keptWords } from "../race/own-moves.js";
import { isAlive, screenOf, timeOf } from "../race/view.js";
import { FinishedScreen } from "./finished-screen.js";
import { GatheringScreen } from "./gathering-screen.js";
import { LineBadge } from "./line-badge.js";
import { LineNotice } from "./line-notice.js";
import { RaceScreen } from "./race-screen.js";
import { ScreenBanner } from "./screen-banner.js";
import { ToastList } from "./toast-list.js";

/** @typedef {import("../race/view.js").Screen} Screen */
/** @typedef {import("../race/view.js").View} View */
/** @typedef {Screen | "notice"} Shown */

/** The whole table page: the screen that the phase asks for, the connection, and what there is to say. */
export class TableScreen extends HTMLElement {
  #coming = el("h1", { tabindex: -1, text: "Coming to the table…" });
  #alone = el("a", { class: "button", href: "/", text: "Play alone meanwhile" });
  #silent = el("p", { role: "status" });
  #waiting = el("section", { class: "waiting" }, this.#coming, el("div", {}, this.#silent, this.#alone));
  #gathering = new GatheringScreen();
  #race = new RaceScreen();
  #finished = new FinishedScreen();
  #notice = new LineNotice();
  #banner = new ScreenBanner();
  #toasts = new ToastList();
  #line = new LineBadge();
  /** @type {Shown | null} */
  #shown = null;
  /** Whether it has just turned to another screen. */
  #isNew = false;
  /** @type {Element | null} what had the focus last */
  #focused = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    for (const screen of [this.#gathering, this.#race, this.#finished, this.#notice, this.#banner]) show(screen, false);
    this.append(this.#waiting, this.#gathering, this.#race, this.#finished, this.#notice, this.#banner, this.#toasts);
    this.addEventListener("focusin", ({ target }) => (this.#focused = target instanceof Element ? target : null));
    document.querySelector(".top nav")?.before(this.#line);
  }

  /** @param {{view: View, at: number, now: number}} state */
  set state({ view, at, now }) {
    const gone = view.line === "gone" || view.line === "moved" || view.line === "refused";
    const screen = screenOf(view, at);
    this.#line.state = { line: view.line, roundTrip: view.clock.roundTrip, offline: view.offline, slow: isSlow(view, at) ? keptWords(view, at) : null };
    this.#notice.line = view.line;
    this.#banner.banner = bannerOf(view, at);
    this.#toasts.toasts = view.toasts;
    this.#wait(isLongComing(view, at) ? waitingWords(view) : null);
    this.#turn(gone ? "notice" : screen);
    if (this.#shown === "gathering") this.#gathering.state = { view, now: timeOf(view, heldAt(view, at)) };
    if (this.#shown === "countdown" || this.#shown === "racing") this.#race.state = { view, at, now, alive: isAlive(view, at) };
    if (this.#shown === "finished") this.#finished.state = { view, at };
    this.#keepFocus();
  }

  /** @param {string | null} words for one who has waited for some time; null for one who has not */
  #wait(words) {
    say(this.#silent, words ?? "");
    show(this.#alone, words !== null);
  }

  /** @param {Shown} shown */
  #turn(shown) {
    const was = this.#shown;
    if (was === shown) return;
    this.#shown = shown;
    this.dataset.screen = shown;
    this.#placeBanner(shown === "countdown" || shown === "racing");
    show(this.#waiting, shown === "waiting");
    show(this.#gathering, shown === "gathering");
    show(this.#race, shown === "countdown" || shown === "racing");
    show(this.#finished, shown === "finished");
    if (was === "racing" || was === "countdown") this.#leaveRace(shown);
    if (shown === "countdown" || (shown === "racing" && was !== "countdown")) this.#race.begin();
    if (was === null || was === "waiting" || (was === "countdown" && shown === "racing")) return;
    this.#isNew = true;
    scrollTo(0, 0);
  }

  /** @param {boolean} racing whether it lies over the standings, which are old news without a connection, and not over actions */
  #placeBanner(racing) {
    const place = racing ? this.#race : this;
    if (this.#banner.parentElement !== place) place.insertBefore(this.#banner, racing ? null : this.#toasts);
  }

  /** @param {Shown} shown */
  #leaveRace(shown) {
    if (shown !== "racing") emit(this, "race-over");
    if (shown === "finished") this.#finished.begin();
  }

  /** The focus is never lost with what had it: it goes on to what is there now. */
  #keepFocus() {
    const lost = this.#focused !== null && (!this.#focused.isConnected || this.#focused.closest("[hidden]") !== null);
    if (!lost && !this.#isNew) return;
    const free = document.activeElement === document.body || (lost && document.activeElement === this.#focused);
    this.#isNew = false;
    if (lost) this.#focused = null;
    if (free) this.#focusScreen();
  }

  #focusScreen() {
    switch (this.#shown) {
      case "gathering": return this.#gathering.takeFocus();
      case "countdown":
      case "racing": return this.#race.takeFocus();
      case "finished": return this.#finished.takeFocus();
      case "notice": return this.#notice.takeFocus();
      default: return this.#coming.focus({ preventScroll: true });
    }
  }
}

customElements.define("table-screen", TableScreen);
