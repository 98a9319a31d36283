import { el, say } from "../dom.js";
import { closeByBackdrop } from "./backdrop.js";

/** @typedef {{words: string, yes: string, no: string}} Question */

/** Asks once before something that cannot be taken back. */
export class ConfirmDialog extends HTMLElement {
  #words = el("p");
  #yes = el("button", { class: "is-danger", value: "yes" });
  #no = el("button", { value: "no", autofocus: true });
  #dialog = el("dialog", { "aria-label": "Please confirm" }, el("form", { method: "dialog" }, this.#words, el("div", { class: "actions" }, this.#no, this.#yes)));

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.append(this.#dialog);
    closeByBackdrop(this.#dialog);
  }

  /**
   * Asks.
   * @param {Question} question
   * @returns {Promise<boolean>}
   */
  ask({ words, yes, no }) {
    say(this.#words, words);
    say(this.#yes, yes);
    say(this.#no, no);
    this.#dialog.returnValue = "no";
    if (!this.#dialog.open) this.#dialog.showModal();
    return new Promise((resolve) => {
      this.#dialog.addEventListener("close", () => resolve(this.#dialog.returnValue === "yes"), { once: true });
    });
  }

  /** Puts an open question away: what it was about is over. */
  dismiss() {
    if (this.#dialog.open) this.#dialog.close("no");
  }
}

customElements.define("confirm-dialog", ConfirmDialog);
