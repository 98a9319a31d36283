import { el, emit, say, show } from "../dom.js";
import { freedWords } from "../race/freed.js";
import { knownName } from "../race/name.js";
import { whyNotStart } from "../race/start.js";
import { chosenRules, isAsked } from "../race/view.js";
import { watchersWords } from "../race/watchers.js";
import { rulesLine } from "../words.js";
import { hold, onPress } from "./hold.js";
import { InviteCard } from "./invite-card.js";
import { NameForm } from "./name-form.js";
import { RulesForm } from "./rules-form.js";
import { SeatList } from "./seat-list.js";

/** @typedef {import("../race/frames.js").TableFrame} TableFrame */
/** @typedef {import("../race/view.js").View} View */

/** The table before a race: seats, names, Ready, the link, the rules and Start. */
export class GatheringScreen extends HTMLElement {
  #heading = el("h1", { tabindex: -1, text: "The table" });
  #seats = new SeatList();
  #invite = new InviteCard();
  #rules = new RulesForm();
  #name = new NameForm();
  #freed = el("p", { class: "is-warning", role: "status" });
  #ready = el("button", { type: "button", class: "is-main is-wide" });
  #start = el("button", { type: "button", class: "is-main is-wide", text: "Start", "aria-describedby": "why-not-start" });
  #why = el("p", { class: "why", role: "status", id: "why-not-start" });
  #raced = el("p", { class: "raced" });
  #go = el("div", { class: "go" }, this.#raced, this.#why, this.#ready, this.#start);
  #leave = el("button", { type: "button", class: "is-bare", text: "Leave the table" });
  #watchers = el("p", { class: "quiet" });
  /** @type {TableFrame | null} */
  #table = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#invite.classList.add("card");
    this.#rules.classList.add("card");
    onPress(this.#ready, () => emit(this, "ask", { type: "ready", ready: !this.#isReady() }));
    onPress(this.#start, () => emit(this, "ask", { type: "start" }));
    onPress(this.#leave, () => emit(this, "leave"));
    this.#name.addEventListener("name", (event) => this.#named(/** @type {CustomEvent<string>} */ (event).detail));
    const table = el("section", { class: "card seats", "aria-label": "The table" }, this.#heading, this.#freed, this.#seats, this.#name, el("div", { class: "actions" }, this.#watchers, this.#leave));
    this.append(el("div", { class: "column" }, table, this.#go), el("div", { class: "column" }, this.#invite, this.#rules));
  }

  /** Takes the focus when it comes. */
  takeFocus() {
    this.#heading.focus({ preventScroll: true });
  }

  /** @param {{view: View, now: number}} state */
  set state({ view, now }) {
    const { table, hello } = view;
    if (table === null) return;
    this.#table = table;
    const { seat, host } = table.you;
    const full = table.seats.every(({ name }) => name !== null);
    this.#seats.state = { seats: table.seats, host: table.host, you: table.you, played: table.seats.some(({ tally }) => (tally ?? 0) > 0), now };
    if (hello !== null) this.#invite.invitation = { link: hello.link, reach: hello.reach, table: table.table, host };
    this.#rules.state = { rules: chosenRules(view), clocks: hello?.clocks_s ?? [], mayChange: host };
    this.#showName(view, full);
    this.#showStart(view);
    say(this.#freed, freedNotice(view.freed, full));
    show(this.#freed, view.freed !== null);
    show(this.#leave, seat !== null);
    say(this.#watchers, watchersWords(table));
    show(this.#watchers, table.watchers > 0);
  }

  /** @param {View} view @param {boolean} full */
  #showName(view, full) {
    const seat = view.table?.you.seat ?? null;
    show(this.#name, seat !== null || !full);
    this.#name.state = seat === null
      ? { label: "Take a seat", button: "Sit down", name: knownName(), busy: isAsked(view, "sit") }
      : { label: "Your name", button: "Rename", name: view.table?.seats.find((one) => one.seat === seat)?.name ?? null, busy: isAsked(view, "rename") };
    this.#name.classList.toggle("is-calm", seat !== null);
  }

  /** @param {View} view */
  #showStart(view) {
    const table = /** @type {TableFrame} */ (view.table);
    const { seat, host } = table.you;
    const why = whyNotStart(table);
    show(this.#start, host);
    show(this.#ready, seat !== null && !host);
    hold(this.#start, isAsked(view, "start") ? "" : why);
    hold(this.#ready, isAsked(view, "ready") ? "" : null);
    say(this.#ready, this.#isReady() ? "Not ready after all" : "Ready");
    this.#ready.classList.toggle("is-main", !this.#isReady());
    const words = waitingWords({ seat, host, why, full: table.seats.every(({ name }) => name !== null) });
    say(this.#why, words);
    say(this.#raced, `${rulesLine(table.rules)}.`);
    show(this.#go, words !== "");
  }

  /** @returns {boolean} */
  #isReady() {
    return this.#table?.seats.some(({ seat, ready }) => seat === this.#table?.you.seat && ready === true) ?? false;
  }

  /** @param {string} name */
  #named(name) {
    emit(this, "ask", this.#table?.you.seat === null ? { type: "sit", name } : { type: "rename", name });
  }
}

/** @param {View["freed"]} why @param {boolean} full @returns {string} */
function freedNotice(why, full) {
  if (why === null) return "";
  return full ? freedWords(why) : `${freedWords(why)} You can sit down again.`;
}

/** @param {{seat: number | null, host: boolean, why: string | null, full: boolean}} where @returns {string} */
function waitingWords({ seat, host, why, full }) {
  if (seat === null) return full ? "All seats are taken. You can watch the race." : "";
  if (host) return why ?? "Everyone is ready.";
  return why === null ? "Waiting for the host to start." : why;
}

customElements.define("gathering-screen", GatheringScreen);
