import { el, emit, say } from "../dom.js";
import { hold } from "./hold.js";

/** @typedef {{readonly label: string, readonly button: string, readonly name: string | null, readonly busy: boolean}} NameState */

/** Asks for a name; emits `name` with it. */
export class NameForm extends HTMLElement {
  #label = el("label", { for: "name-field" });
  #field = el("input", { id: "name-field", name: "name", required: true, dir: "auto", maxlength: 40, autocomplete: "nickname", placeholder: "Your name", enterkeyhint: "done" });
  #button = el("button", { class: "is-main" });
  #busy = false;
  /** @type {string | null} what was put in the field, so that typing is not overwritten */
  #given = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const id = `name-${Math.random().toString(36).slice(2)}`;
    this.#field.id = id;
    this.#label.htmlFor = id;
    const form = el("form", { onsubmit: (/** @type {Event} */ event) => this.#submit(event) }, this.#label, el("div", { class: "row" }, this.#field, this.#button));
    this.append(form);
  }

  /** @param {NameState} state */
  set state({ label, button, name, busy }) {
    say(this.#label, label);
    say(this.#button, button);
    this.#busy = busy;
    hold(this.#button, busy ? "" : null);
    if (name === this.#given) return;
    this.#given = name;
    this.#field.value = name ?? "";
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    if (this.#busy) return;
    const name = this.#field.value.trim();
    if (name === "") {
      this.#field.value = "";
      this.#field.reportValidity();
      return;
    }
    // Away from the field, so that a phone puts its keyboard away.
    this.#button.focus({ preventScroll: true });
    emit(this, "name", name);
  }
}

customElements.define("name-form", NameForm);
