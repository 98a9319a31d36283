import { el, emit, say, show } from "../dom.js";
import { minutes, tallyWords } from "../words.js";
import { RemoveFriend } from "./remove-friend.js";
import { showName } from "./shown-name.js";

/** @typedef {import("../race/frames.js").Seat} Seat */
/**
 * @typedef {object} SeatsState
 * @property {readonly Seat[]} seats
 * @property {number | null} host
 * @property {{seat: number | null, host: boolean}} you
 * @property {boolean} played whether there is a tally to show
 * @property {number} now
 */
/** @typedef {Record<"item" | "name" | "you" | "badge" | "tally", HTMLElement> & {remove: RemoveFriend}} Row */

/** The four seats while gathering; emits `ask` to free one. */
export class SeatList extends HTMLElement {
  /** @type {Map<number, Row>} */
  #rows = new Map();
  #list = el("ol", { "aria-label": "Seats" });

  connectedCallback() {
    if (this.childElementCount === 0) this.append(this.#list);
  }

  /** @param {SeatsState} state */
  set state(state) {
    for (const seat of state.seats) this.#fill(this.#rows.get(seat.seat) ?? this.#added(seat.seat), seat, state);
  }

  /** @param {number} seat @returns {Row} */
  #added(seat) {
    const [name, you, badge, tally] = [el("bdi", { class: "name" }), el("span", { class: "you", text: "(you)" }), el("span", { class: "badge" }), el("span", { class: "quiet" })];
    const remove = new RemoveFriend();
    remove.addEventListener("asking", () => this.#rows.forEach((row) => row.remove.dismiss()));
    remove.addEventListener("remove", () => emit(this, "ask", { type: "free_seat", seat }));
    const number = el("span", { class: "number", text: String(seat), "aria-hidden": "true" });
    const item = el("li", { "data-seat": seat, "data-testid": `seat-${seat}` }, number, el("span", { class: "who" }, name, you), el("span", { class: "how" }, badge, tally), remove);
    this.#list.append(item);
    const row = { item, name, you, badge, tally, remove };
    this.#rows.set(seat, row);
    return row;
  }

  /** @param {Row} row @param {Seat} seat @param {SeatsState} state */
  #fill(row, seat, state) {
    const free = seat.name === null;
    row.item.classList.toggle("is-free", free);
    showName(row.name, seat.name ?? "Open seat");
    show(row.you, state.you.seat === seat.seat);
    const { words, mood } = badgeOf(seat, state);
    say(row.badge, words);
    row.badge.dataset.mood = mood;
    show(row.badge, words !== "");
    say(row.tally, !free && state.played ? `${tallyWords(seat.tally ?? 0)} won` : "");
    row.remove.friend = state.you.host && state.you.seat !== seat.seat ? seat.name : null;
  }
}

/** @param {Seat} seat @param {SeatsState} state @returns {{words: string, mood: string}} */
function badgeOf(seat, { host, now }) {
  if (seat.name === null) return { words: "", mood: "" };
  if (seat.connected === false) return { words: `away ${minutes((seat.away_until ?? now) - now)}`, mood: "bad" };
  if (seat.seat === host) return { words: "host", mood: "good" };
  return seat.ready === true ? { words: "ready", mood: "good" } : { words: "not ready yet", mood: "" };
}

customElements.define("seat-list", SeatList);
