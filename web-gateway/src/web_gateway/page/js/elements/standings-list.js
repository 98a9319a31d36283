import { el, say, show } from "../dom.js";
import { exponentOf } from "../engine/board.js";
import { grouped, minutes } from "../words.js";
import { showName } from "./shown-name.js";

/** @typedef {import("../race/frames.js").Standing} Standing */
/**
 * @typedef {object} Racer
 * @property {number} seat
 * @property {string} name
 * @property {boolean} you
 * @property {boolean} connected
 * @property {number | null} awayUntil
 * @property {Standing | null} standing
 */
/** @typedef {Record<"item" | "tile" | "name" | "badge" | "biggest" | "moves" | "score", HTMLElement>} Row */

/** How long a racer who overtakes is seen to. */
const OVERTAKING_MS = 220;

/** How all racers stand, best first. */
export class StandingsList extends HTMLElement {
  /** @type {Map<number, Row>} */
  #rows = new Map();
  #list = el("ol", { "aria-label": "Standings" });
  #order = "";

  connectedCallback() {
    if (this.childElementCount === 0) this.append(this.#list);
  }

  /** @param {{racers: readonly Racer[], now: number}} state */
  set state({ racers, now }) {
    this.dataset.racers = String(racers.length);
    const sorted = [...racers].sort((one, other) => rank(other) - rank(one) || one.seat - other.seat);
    for (const racer of sorted) this.#fill(this.#rows.get(racer.seat) ?? this.#added(racer.seat), racer, { now, leads: leads(racer, sorted) });
    this.#arrange(sorted.map(({ seat }) => seat));
  }

  /** @param {number} seat @returns {Row} */
  #added(seat) {
    const [tile, name, badge] = [el("b", { class: "small-tile" }), el("bdi", { class: "name" }), el("span", { class: "badge" })];
    const [biggest, moves, score] = [el("span", { class: "biggest" }), el("span", { class: "moves" }), el("span", { class: "score" })];
    const line = el("span", { class: "quiet line" }, biggest, moves);
    const item = el("li", { "data-testid": `standing-${seat}` }, tile, el("span", { class: "who" }, name, badge), line, score);
    const row = { item, tile, name, badge, biggest, moves, score };
    this.#rows.set(seat, row);
    return row;
  }

  /** @param {Row} row @param {Racer} racer @param {{now: number, leads: boolean}} more */
  #fill(row, racer, { now, leads }) {
    const { standing } = racer;
    row.item.classList.toggle("is-you", racer.you);
    row.item.classList.toggle("is-out", standing?.state === "out");
    row.tile.dataset.exponent = String(exponentOf(standing?.biggest ?? 2));
    say(row.tile, String(standing?.biggest ?? ""));
    showName(row.name, racer.you ? "You" : racer.name);
    const { words, mood } = badgeOf(racer, now, leads);
    say(row.badge, words);
    row.badge.dataset.mood = mood;
    show(row.badge, words !== "");
    say(row.biggest, `biggest ${standing?.biggest ?? "–"} · `);
    say(row.moves, standing?.slides === 1 ? "1 move" : `${grouped(standing?.slides ?? 0)} moves`);
    const score = grouped(standing?.score ?? 0);
    say(row.score, score);
    row.score.style.setProperty("--digits", String(Math.max(5, score.length)));
  }

  /** @param {number[]} seats */
  #arrange(seats) {
    if (seats.join() === this.#order) return;
    const before = this.#order === "" ? new Map() : this.#places();
    this.#order = seats.join();
    this.#list.replaceChildren(...seats.map((seat) => /** @type {Row} */ (this.#rows.get(seat)).item));
    for (const [item, place] of this.#places()) glide(item, before.get(item) ?? place, place);
  }

  /** @returns {Map<HTMLElement, DOMRect>} where each racer is shown */
  #places() {
    return new Map([...this.#rows.values()].map(({ item }) => [item, item.getBoundingClientRect()]));
  }
}

/** @param {HTMLElement} item @param {DOMRect} from @param {DOMRect} to */
function glide(item, from, to) {
  const [across, down] = [from.x - to.x, from.y - to.y];
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (calm || from.width === 0 || to.width === 0 || (across === 0 && down === 0)) return;
  item.animate([{ transform: `translate(${across}px, ${down}px)` }, { transform: "none" }], { duration: OVERTAKING_MS, easing: "ease-out" });
}

/** @param {Racer} racer @returns {number} those who are out come last */
const rank = ({ standing }) => (standing === null ? 0 : standing.score - (standing.state === "out" ? 1e9 : 0));

/** @param {Racer} racer @param {Racer[]} sorted @returns {boolean} */
function leads(racer, sorted) {
  return racer === sorted[0] && rank(racer) > 0 && sorted.every((other) => other === racer || rank(other) < rank(racer));
}

/** @param {Racer} racer @param {number} now @param {boolean} leads @returns {{words: string, mood: string}} */
function badgeOf({ standing, connected, awayUntil }, now, leads) {
  if (standing?.state === "out") return { words: standing.out === "left_behind" ? "left behind" : "resigned", mood: "bad" };
  if (standing?.state === "stuck") return { words: "stuck", mood: "" };
  if (!connected) return { words: awayUntil !== null && awayUntil > now ? `away ${minutes(awayUntil - now)}` : "away", mood: "bad" };
  return leads ? { words: "leading", mood: "good" } : { words: "", mood: "" };
}

customElements.define("standings-list", StandingsList);
