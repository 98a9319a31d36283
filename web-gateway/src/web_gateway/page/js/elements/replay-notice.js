import { el, emit, say, show } from "../dom.js";

/** @typedef {import("../replay/asking.js").Trouble} Trouble */
/** @typedef {{title: string, words: (words: string) => string, again: boolean, table: string | null}} Notice */

/** @type {Readonly<Record<Trouble["kind"], Notice>>} */
const NOTICES = {
  "no-race": { title: "There is no such race", words: () => "This table has not raced under that number. Perhaps the link has a digit wrong.", again: false, table: "Go to the table" },
  "no-table": { title: "This table is gone", words: () => "A table goes with all its races when nobody has been there for 24 hours. Or the link has a letter wrong.", again: false, table: null },
  running: { title: "This race is not over yet", words: () => "Nobody sees another's board before the end. Come back when it is over, or watch the scores at the table.", again: true, table: "Go to the table" },
  unreachable: { title: "The race could not be fetched", words: () => "The server cannot be reached. Look whether you are online, and try again; this page also tries by itself once you are.", again: true, table: null },
  refused: { title: "The race could not be fetched", words: (why) => why || "The server could not give it. Try again in a moment.", again: true, table: "Go to the table" },
  damaged: { title: "This race cannot be shown", words: (wrong) => `What the server sent does not fit together: ${wrong}. So it cannot be verified either.`, again: true, table: "Go to the table" },
};

/** Says why there is no race to show, and what can be done; emits `again`. */
export class ReplayNotice extends HTMLElement {
  #title = el("h1");
  #words = el("p");
  #again = el("button", { type: "button", class: "is-main", text: "Try again", onclick: () => emit(this, "again") });
  #table = el("a", { class: "button" });
  #alone = el("a", { class: "button", href: "/", text: "Play alone" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    const actions = el("div", { class: "actions" }, this.#again, this.#table, this.#alone);
    this.append(el("section", { class: "card", role: "alert" }, this.#title, this.#words, actions));
  }

  /** @param {Trouble} trouble @param {string} table the address of its table */
  tell({ kind, words }, table) {
    const notice = NOTICES[kind];
    say(this.#title, notice.title);
    say(this.#words, notice.words(words));
    show(this.#again, notice.again);
    show(this.#table, notice.table !== null);
    this.#table.href = table;
    say(this.#table, notice.table ?? "");
  }
}

customElements.define("replay-notice", ReplayNotice);
