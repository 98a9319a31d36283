import { el, emit } from "../dom.js";

/** @typedef {import("../race/view.js").Toast} Toast */

/** How long words stay. */
const SHOWN_MS = 6000;

/** Says short things that need no answer; a tap puts one away, and so does time. */
export class ToastList extends HTMLElement {
  /** @type {Map<number, HTMLElement>} */
  #shown = new Map();

  connectedCallback() {
    this.setAttribute("role", "status");
    this.setAttribute("aria-live", "polite");
  }

  /** @param {readonly Toast[]} toasts */
  set toasts(toasts) {
    const serials = new Set(toasts.map(({ serial }) => serial));
    for (const [serial, toast] of this.#shown) {
      if (serials.has(serial)) continue;
      toast.remove();
      this.#shown.delete(serial);
    }
    for (const toast of toasts) if (!this.#shown.has(toast.serial)) this.#add(toast);
  }

  /** @param {Toast} toast */
  #add({ serial, text }) {
    const dismiss = () => emit(this, "dismiss", serial);
    const toast = el("button", { class: "toast", title: "Put away", onclick: dismiss, text });
    this.#shown.set(serial, toast);
    this.append(toast);
    whenSeen(() => setTimeout(dismiss, SHOWN_MS));
  }
}

/** Time passes only while somebody can look. @param {() => void} then */
function whenSeen(then) {
  if (!document.hidden) return then();
  document.addEventListener("visibilitychange", () => whenSeen(then), { once: true });
}

customElements.define("toast-list", ToastList);
