import { el, emit, say, show } from "../dom.js";

/** @typedef {import("../race/view.js").Line} Line */
/** @typedef {{title: string, words: string, again: string | null}} Notice */

/** @type {Readonly<Partial<Record<Line, Notice>>>} */
const NOTICES = {
  moved: { title: "Another tab took over", words: "You came to this table in another tab of this browser, and only one plays at a time. Your seat comes with you: take it back whenever you like.", again: "Play here" },
  gone: { title: "This table is gone", words: "A table goes when nobody has been there for 24 hours. Or the link has a letter wrong.", again: null },
  refused: { title: "The server closed the connection", words: "Reload the page to get its newest version.", again: "Try again" },
};

/** Stands in front of a table that this page is not connected to any more; emits `again` and `open`. */
export class LineNotice extends HTMLElement {
  #title = el("h1", { tabindex: -1 });
  #words = el("p");
  #again = el("button", { type: "button", class: "is-main" });
  #open = el("button", { type: "button", class: "is-main", text: "Open a new table" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#again.addEventListener("click", () => emit(this, "again"));
    this.#open.addEventListener("click", () => emit(this, "open"));
    const alone = el("a", { class: "button", href: "/", text: "Play alone" });
    this.append(el("section", { class: "card", role: "alert" }, this.#title, this.#words, el("div", { class: "actions" }, this.#again, this.#open, alone)));
  }

  /** Takes the focus when it comes. */
  takeFocus() {
    this.#title.focus({ preventScroll: true });
  }

  /** @param {Line} line */
  set line(line) {
    const notice = NOTICES[line];
    show(this, notice !== undefined);
    if (notice === undefined) return;
    say(this.#title, notice.title);
    say(this.#words, notice.words);
    say(this.#again, notice.again ?? "");
    show(this.#again, notice.again !== null);
    show(this.#open, line === "gone");
  }
}

customElements.define("line-notice", LineNotice);
