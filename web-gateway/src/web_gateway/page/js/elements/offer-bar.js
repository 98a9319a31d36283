import { el, emit, say, show } from "../dom.js";
import { isolated, listed } from "../words.js";
import { hold, onPress } from "./hold.js";

/** @typedef {import("../race/frames.js").Offer} Offer */
/**
 * @typedef {object} OfferState
 * @property {number} race
 * @property {Offer | null} offer
 * @property {string} by who made it; they may be out by now
 * @property {number | null} you one's own seat, where one is still in the race
 * @property {readonly {seat: number, name: string}[]} inRace
 * @property {number} now
 * @property {boolean} busy whether an answer is on its way
 */

/** A peace offer that stands, and the answer to it; emits `ask`. */
export class OfferBar extends HTMLElement {
  #words = el("span", { role: "status" });
  #left = el("span", { class: "left", "aria-hidden": "true" });
  #agree = el("button", { type: "button", class: "is-main", text: "Agree to a draw" });
  #decline = el("button", { type: "button", text: "Decline" });
  #race = 0;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    onPress(this.#agree, () => emit(this, "ask", { type: "answer", race: this.#race, agree: true }));
    onPress(this.#decline, () => emit(this, "ask", { type: "answer", race: this.#race, agree: false }));
    this.append(el("p", {}, this.#words), this.#left, el("div", { class: "actions" }, this.#agree, this.#decline));
  }

  /** @param {OfferState} state */
  set state({ race, offer, by, you, inRace, now, busy }) {
    this.#race = race;
    show(this, offer !== null);
    say(this.#words, offer === null ? "" : offerWords(offer, { by, you, inRace }));
    if (offer === null) return;
    const asked = you !== null && !offer.agreed.includes(you);
    for (const button of [this.#agree, this.#decline]) {
      show(button, asked);
      hold(button, busy ? "" : null);
    }
    say(this.#left, `${Math.max(0, Math.ceil((offer.until - now) / 1000))} s`);
  }
}

/**
 * Who offers, whom it waits for, and what a slide would do.
 * @param {Offer} offer
 * @param {Pick<OfferState, "by" | "you" | "inRace">} where
 * @returns {string}
 */
function offerWords(offer, { by, you, inRace }) {
  const offers = offer.by === you ? "You offer a draw" : `${by} offers a draw`;
  if (you !== null && !offer.agreed.includes(you)) return `${offers}. Sliding on declines it.`;
  const silent = inRace.filter(({ seat }) => !offer.agreed.includes(seat)).map(({ name }) => isolated(name));
  const agreed = you !== null && offer.by !== you ? " and you agree" : "";
  return silent.length === 0 ? `${offers}${agreed}.` : `${offers}${agreed}; waiting for ${listed(silent)}.`;
}

customElements.define("offer-bar", OfferBar);
