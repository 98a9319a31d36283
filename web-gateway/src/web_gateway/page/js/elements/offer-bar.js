import { el, emit, say, show } from "../dom.js";
import { listed } from "../words.js";

/** @typedef {import("../race/frames.js").Offer} Offer */
/**
 * @typedef {object} OfferState
 * @property {number} race
 * @property {Offer | null} offer
 * @property {number | null} you one's own seat, where one is still in the race
 * @property {readonly {seat: number, name: string}[]} inRace
 * @property {number} now
 */

/** A peace offer that stands, and the answer to it; emits `ask`. */
export class OfferBar extends HTMLElement {
  #words = el("span");
  #left = el("span", { class: "quiet", "aria-hidden": "true" });
  #agree = el("button", { type: "button", class: "is-main", text: "Agree to a draw" });
  #decline = el("button", { type: "button", text: "Decline" });
  #race = 0;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#agree.addEventListener("click", () => emit(this, "ask", { type: "answer", race: this.#race, agree: true }));
    this.#decline.addEventListener("click", () => emit(this, "ask", { type: "answer", race: this.#race, agree: false }));
    this.append(el("p", {}, el("span", { role: "status" }, this.#words), " ", this.#left), el("div", { class: "actions" }, this.#agree, this.#decline));
  }

  /** @param {OfferState} state */
  set state({ race, offer, you, inRace, now }) {
    this.#race = race;
    show(this, offer !== null);
    if (offer === null) return;
    const asked = you !== null && !offer.agreed.includes(you);
    show(this.#agree, asked);
    show(this.#decline, asked);
    say(this.#words, wordsOf(offer, { you, inRace, asked }));
    say(this.#left, `${Math.max(0, Math.ceil((offer.until - now) / 1000))} s`);
  }
}

/**
 * @param {Offer} offer
 * @param {Pick<OfferState, "you" | "inRace"> & {asked: boolean}} where
 * @returns {string}
 */
function wordsOf(offer, { you, inRace, asked }) {
  const by = offer.by === you ? "You offer" : `${inRace.find(({ seat }) => seat === offer.by)?.name ?? "Somebody"} offers`;
  const silent = inRace.filter(({ seat }) => !offer.agreed.includes(seat)).map(({ name }) => name);
  return asked || silent.length === 0 ? `${by} a draw.` : `${by} a draw; waiting for ${listed(silent)}.`;
}

customElements.define("offer-bar", OfferBar);
