import { el, emit, show } from "../dom.js";

/** Takes a friend's seat away, which only they can make good: asks once, in the button's own place; emits `remove`. */
export class RemoveFriend extends HTMLElement {
  #open = el("button", { type: "button", class: "is-bare is-danger", text: "Remove", onclick: () => this.#ask() });
  #sure = el("button", { type: "button", class: "is-danger", text: "Remove", onclick: () => this.#remove() });
  #keep = el("button", { type: "button", text: "Keep", onclick: () => this.#back() });
  // What keeps the friend is where the first button was, so that a second tap there removes nobody.
  #question = el("span", { role: "group", hidden: true, onkeydown: (/** @type {KeyboardEvent} */ event) => this.#heard(event) }, this.#sure, this.#keep);
  /** @type {string | null} */
  #name = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#open, this.#question);
    show(this, this.#name !== null);
  }

  /** @param {string | null} name of who can be removed, null for nobody; what is asked about somebody else is not asked any more */
  set friend(name) {
    if (name === this.#name) return;
    this.#name = name;
    this.dismiss();
    show(this, name !== null);
    this.#open.setAttribute("aria-label", `Remove ${name} from the table`);
    this.#question.setAttribute("aria-label", `Remove ${name} from the table? They can sit down again.`);
    this.#sure.setAttribute("aria-label", `Remove ${name}`);
    this.#keep.setAttribute("aria-label", `Keep ${name}`);
  }

  /** Puts an open question away. */
  dismiss() {
    this.#turn(false);
  }

  #ask() {
    emit(this, "asking");
    this.#turn(true);
    this.#keep.focus({ preventScroll: true });
  }

  #back() {
    this.#turn(false);
    this.#open.focus({ preventScroll: true });
  }

  #remove() {
    this.#back();
    emit(this, "remove");
  }

  /** @param {KeyboardEvent} event */
  #heard(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    this.#back();
  }

  /** @param {boolean} asking */
  #turn(asking) {
    show(this.#open, !asking);
    show(this.#question, asking);
  }
}

customElements.define("remove-friend", RemoveFriend);
