import { part, say, show } from "../dom.js";
import { ScorePanel } from "../elements/score-panel.js";
import { TileBoard } from "../elements/tile-board.js";
import { biggest, valueOf } from "../engine/board.js";
import { grouped } from "../words.js";
import { isUnderWay, lastMotions } from "./game.js";
import { hintOf, messageOf } from "./words.js";

/** @typedef {import("./game.js").Choice} Choice */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./solo-game.js").Change} Change */
/** @typedef {import("../elements/confirm-dialog.js").Question} Question */
/**
 * What a person can do besides sliding.
 * @typedef {object} Deeds
 * @property {() => void} undo
 * @property {() => void} dismiss
 * @property {() => void} renew
 * @property {(choice: Partial<Choice>) => void} choose
 * @property {() => void} race
 */

/** @type {Question} */
const QUESTION = { words: "Start a new game? This one will be lost.", yes: "New game", no: "Play on" };

/** The solo page's elements. */
export class SoloScreen {
  #board = part("board", TileBoard);
  #figures = part("figures", ScorePanel);
  #over = part("over", HTMLElement);
  #onBoard = this.#over.parentElement;
  #hint = part("hint", HTMLElement);
  #button = Object.fromEntries(["undo", "new", "race", "go-on"].map((id) => [id, part(id, HTMLButtonElement)]));
  #choices = [...document.querySelectorAll("[data-mode], [data-undo]")].filter((one) => one instanceof HTMLButtonElement);
  #hasKeys = matchMedia("(pointer: fine)").matches;
  #isUnderWay = false;
  #deeds;

  /** @param {Deeds} deeds */
  constructor(deeds) {
    this.#deeds = deeds;
    /** @type {Record<string, () => void>} */
    const clicks = { undo: deeds.undo, "go-on": deeds.dismiss, new: () => this.#renew(), race: deeds.race };
    for (const [id, click] of Object.entries(clicks)) this.#button[id].addEventListener("click", click);
    for (const button of this.#choices) button.addEventListener("click", () => deeds.choose({ ...button.dataset }));
  }

  /**
   * Shows a game.
   * @param {{game: Game, best: number, isFirst: boolean}} solo
   * @param {Change | null} change how it came about
   */
  show({ game, best, isFirst }, change) {
    this.#isUnderWay = isUnderWay(game);
    const isBack = change?.deed === "undone";
    this.#board.show(game.board, isBack ? lastMotions(change.before) : change?.slid?.motions, { back: isBack });
    this.#figures.figures = [
      { key: "score", label: "Score", value: grouped(game.score) },
      { key: "best", label: "Best", value: grouped(best) },
      { key: "biggest", label: "Biggest", value: String(valueOf(biggest(game.board))) },
      { key: "moves", label: "Moves", value: grouped(game.slides) },
    ];
    this.#figures.gain("score", change?.slid?.points ?? 0);
    this.#showChoices(game);
    this.#showMessage(game);
    say(this.#hint, hintOf(game, { isFirst, hasKeys: this.#hasKeys }));
    this.#keepFocus();
  }

  /** @param {Game} game */
  #showChoices(game) {
    const first = game.slides === 0;
    show(part("choices", HTMLElement), first);
    show(part("turns", HTMLElement), !first);
    show(this.#button.undo, game.undo === "one");
    // Not disabled, which would take the focus away.
    this.#button.undo.setAttribute("aria-disabled", String(game.previous === null));
    for (const button of this.#choices) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === game.mode || button.dataset.undo === game.undo));
    }
  }

  /** @param {Game} game */
  #showMessage(game) {
    const message = messageOf(game);
    this.#place(message?.over === true);
    show(this.#over, message !== null);
    // One button leads on.
    this.#button.new.classList.toggle("is-main", message?.over === true);
    this.#button.race.classList.toggle("is-main", message === null);
    if (message === null) return;
    say(part("over-title", HTMLElement), message.title);
    say(part("over-words", HTMLElement), message.words);
    show(this.#button["go-on"], !message.over);
  }

  /** The end is said in the hint's place, so that the last board is seen whole. @param {boolean} final */
  #place(final) {
    show(this.#hint, !final);
    if (this.#over.classList.contains("is-final") === final) return;
    this.#over.classList.toggle("is-final", final);
    if (final) this.#hint.after(this.#over);
    else this.#onBoard?.append(this.#over);
  }

  /** What had the focus may be hidden now; then the board has it. */
  #keepFocus() {
    if (document.activeElement?.closest("[hidden]")) this.#board.focus({ preventScroll: true });
  }

  async #renew() {
    if (!this.#isUnderWay || (await confirm(QUESTION))) this.#deeds.renew();
  }
}

/** The first slide does not wait for this (pages/solo-later.js). @param {Question} question @returns {Promise<boolean>} */
async function confirm(question) {
  const { ConfirmDialog } = await import("../elements/confirm-dialog.js");
  return part("confirm", ConfirmDialog).ask(question);
}
