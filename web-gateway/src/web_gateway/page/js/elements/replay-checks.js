import { el, say } from "../dom.js";
import { closeByBackdrop } from "./backdrop.js";
import { icon } from "./replay-icons.js";

/** @typedef {import("../replay/answer.js").Replay} Replay */
/** @typedef {import("../replay/verify.js").Check} Check */

/** How long a button says that it has copied. */
const COPIED_MS = 2000;

/** What Verify found, check by check, with the numbers to check it by other means. */
export class ReplayChecks extends HTMLElement {
  #result = el("p", { class: "result", role: "status" });
  #list = el("ol", { class: "checks" });
  #seed = el("code");
  #commitment = el("code");
  #dialog = el("dialog", { class: "verifying", "aria-labelledby": "verify-title" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const intro = "Your browser makes the whole race again from its secret number, the seed, and from every slide, and compares.";
    const close = el("form", { method: "dialog", class: "actions" }, el("button", { class: "is-main", autofocus: true, text: "Close" }));
    const hashes = el("dl", { class: "hashes" }, ...hash("Seed", this.#seed), ...hash("Commitment", this.#commitment));
    // The sheet covers all of the dialog, so that a tap on the dialog itself is one beside it.
    const sheet = el("div", { class: "sheet" },
      el("header", {}, el("h2", { id: "verify-title", text: "Verify this race" }), this.#result),
      el("div", { class: "rest", tabindex: "0", role: "group", "aria-label": "Checks" }, el("p", { class: "quiet", text: intro }), this.#list, hashes, explanation()),
      close);
    this.#dialog.append(sheet);
    this.append(this.#dialog);
    closeByBackdrop(this.#dialog);
  }

  /** Begins anew. @param {Replay} replay */
  begin({ seed, commitment }) {
    this.#list.replaceChildren();
    say(this.#seed, seed);
    say(this.#commitment, commitment);
    say(this.#result, "Checking…");
    this.#result.dataset.holds = "";
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  /** @returns {boolean} whether it is still looked at */
  get open() {
    return this.#dialog.open;
  }

  /** Shows one more check. @param {Check} check */
  add({ what, holds, found }) {
    const state = holds === null ? "open" : holds ? "holds" : "fails";
    const told = el("span", { class: "unseen", text: { open: "cannot be compared: ", holds: "holds: ", fails: "does not hold: " }[state] });
    this.#list.append(el("li", { "data-holds": state }, icon(state), el("p", {}, told, el("strong", { text: what }), el("span", { class: "found", text: found }))));
  }

  /** Says what came out. @param {readonly Check[]} checks */
  end(checks) {
    const failed = checks.filter(({ holds }) => holds === false).length;
    const open = checks.some(({ holds }) => holds === null);
    this.#result.dataset.holds = String(failed === 0);
    const holds = open ? "All holds that can be checked from here." : "All holds. The tiles were fixed before the race, and everything else follows from the slides.";
    say(this.#result, failed === 0 ? holds : `This race does not hold: ${failed === 1 ? "one check fails" : `${failed} checks fail`}. What it shows cannot be trusted.`);
  }

}

/** @param {string} name @param {HTMLElement} code @returns {HTMLElement[]} */
function hash(name, code) {
  const copy = el("button", { type: "button", text: "Copy", "aria-label": `Copy the ${name.toLowerCase()}`, onclick: () => copied(code, copy) });
  return [el("dt", {}, name), el("dd", {}, code, copy)];
}

/**
 * Without the clipboard, which plain-HTTP addresses lack, the words are marked and copied the old way.
 * @param {HTMLElement} code @param {HTMLElement} button
 */
async function copied(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? "");
    say(button, "Copied");
  } catch {
    getSelection()?.selectAllChildren(code);
    say(button, document.execCommand("copy") ? "Copied" : "Marked");
  }
  setTimeout(() => say(button, "Copy"), COPIED_MS);
}

/** @returns {HTMLElement} */
function explanation() {
  return el("details", {}, el("summary", { text: "What does this prove?" }), el("p", {
    text: "All new tiles of a race come from its seed, by a rule that anyone can compute. Before the race everyone was shown the commitment, a fingerprint of the seed: no other seed has the same. So nobody could choose a tile while you raced, for or against anybody. With the seed and the slides every board can be made again, and the verdict with it.",
  }), el("p", { text: "The commitment is SHA-256 of the seed's 32 bytes; tile number k is HMAC-SHA256 of k under the seed. The rules say how." }));
}

customElements.define("replay-checks", ReplayChecks);
