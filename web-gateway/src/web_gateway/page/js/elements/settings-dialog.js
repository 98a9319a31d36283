import { el } from "../dom.js";
import { feel } from "../feel.js";
import { preferences } from "../preferences.js";
import { closeByBackdrop } from "./backdrop.js";

/** @typedef {import("../preferences.js").Choices} Choices */

/** What the choices of colours are called, by what is kept of them. */
const THEMES = { system: "System", light: "Light", dark: "Dark" };

/** Colours, sounds and vibration; anything on the page with `data-open=settings` opens it. */
export class SettingsDialog extends HTMLElement {
  #themes = Object.entries(THEMES).map(([value, label]) => choiceOf({ type: "radio", name: "theme", value }, label));
  #sounds = switchOf("sounds", "Sounds");
  #vibration = switchOf("vibration", "Vibration");
  #dialog = el("dialog", { class: "settings", "aria-labelledby": "settings-title" });
  /** @type {Element | null} */
  #opener = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#dialog.append(this.#form());
    this.append(this.#dialog);
    this.#vibration.hidden = !("vibrate" in navigator);
    closeByBackdrop(this.#dialog);
    this.#dialog.addEventListener("change", (event) => choose(event.target));
    this.#dialog.addEventListener("close", () => this.#opener instanceof HTMLElement && this.#opener.focus({ preventScroll: true }));
    document.addEventListener("click", ({ target }) => target instanceof Element && this.#openFor(target));
    preferences.addEventListener("change", () => this.#show());
    this.#show();
  }

  /** @returns {HTMLFormElement} */
  #form() {
    return el("form", { method: "dialog" },
      el("h2", { id: "settings-title", text: "Settings" }),
      el("fieldset", { class: "choices" }, el("legend", { text: "Colours" }), el("div", { class: "segments" }, ...this.#themes)),
      this.#sounds,
      this.#vibration,
      el("div", { class: "actions" }, el("button", { class: "is-main", text: "Done" })));
  }

  /** @param {Element} target */
  #openFor(target) {
    const opener = target.closest("[data-open=settings]");
    if (opener === null || this.#dialog.open) return;
    this.#opener = opener;
    this.#dialog.showModal();
  }

  #show() {
    applyTheme();
    for (const input of this.#dialog.querySelectorAll("input")) {
      const chosen = preferences.get(/** @type {keyof Choices} */ (input.name));
      input.checked = input.type === "radio" ? input.value === chosen : chosen === "on";
    }
  }
}

/** @param {EventTarget | null} input */
function choose(input) {
  if (!(input instanceof HTMLInputElement)) return;
  const name = /** @type {keyof Choices} */ (input.name);
  preferences.choose(name, input.type === "radio" ? input.value : input.checked ? "on" : "off");
  if (input.checked && (name === "sounds" || name === "vibration")) feel.sample(name);
}

/** boot.js does so before anything is painted; from then on the choice is made here. */
function applyTheme() {
  const theme = preferences.get("theme");
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** @param {Record<string, string>} traits @param {string} label @returns {HTMLLabelElement} */
const choiceOf = (traits, label) => el("label", {}, el("input", traits), el("span", { text: label }));

/** @param {keyof Choices} name @param {string} label @returns {HTMLLabelElement} */
const switchOf = (name, label) => el("label", { class: "switch" }, el("span", { text: label }), el("input", { type: "checkbox", role: "switch", name }));

customElements.define("settings-dialog", SettingsDialog);
document.body.append(new SettingsDialog());
