import { part, say, show } from "../dom.js";
import { ScorePanel } from "../elements/score-panel.js";
import { TileBoard } from "../elements/tile-board.js";
import { biggest, valueOf } from "../engine/board.js";
import { grouped } from "../words.js";
import { isUnderWay } from "./game.js";
import { hintOf, messageOf } from "./words.js";

/** @typedef {import("../engine/slide.js").Motion} Motion */
/** @typedef {import("./game.js").Choice} Choice */
/** @typedef {import("./game.js").Game} Game */
/**
 * What a person can do besides sliding.
 * @typedef {object} Deeds
 * @property {() => void} undo
 * @property {() => void} dismiss
 * @property {() => void} renew
 * @property {(choice: Partial<Choice>) => void} choose
 * @property {() => Promise<string | null>} race why it could not be done, in words
 */

/** The solo page's elements. */
export class SoloScreen {
  #board = part("board", TileBoard);
  #figures = part("figures", ScorePanel);
  #over = part("over", HTMLElement);
  #button = Object.fromEntries(["undo", "new", "race", "over-undo", "over-new", "over-go-on"].map((id) => [id, part(id, HTMLButtonElement)]));
  #choices = [...document.querySelectorAll("[data-mode], [data-undo]")].filter((one) => one instanceof HTMLButtonElement);
  #underWay = false;
  #serial = 0;
  #deeds;

  /** @param {Deeds} deeds */
  constructor(deeds) {
    this.#deeds = deeds;
    const { undo, dismiss } = deeds;
    /** @type {Record<string, () => void>} */
    const clicks = { undo, "over-undo": undo, "over-go-on": dismiss, new: () => this.#renew(), "over-new": () => this.#renew(), race: () => this.#race() };
    for (const [id, click] of Object.entries(clicks)) this.#button[id].addEventListener("click", click);
    for (const button of this.#choices) button.addEventListener("click", () => deeds.choose({ ...button.dataset }));
    part("toasts", HTMLElement).addEventListener("dismiss", () => toast([]));
  }

  /**
   * Shows a game.
   * @param {{game: Game, best: number}} solo
   * @param {readonly Motion[]} motions how its board came about
   */
  show({ game, best }, motions) {
    this.#underWay = isUnderWay(game);
    this.#board.show(game.board, motions);
    this.#figures.figures = [
      { key: "score", label: "Score", value: grouped(game.score) },
      { key: "biggest", label: "Biggest", value: String(valueOf(biggest(game.board))) },
      { key: "moves", label: "Moves", value: grouped(game.slides) },
      { key: "best", label: "Best", value: grouped(best) },
    ];
    this.#showChoices(game);
    this.#showMessage(game);
    say(part("hint", HTMLElement), hintOf(game));
  }

  /** @param {Game} game */
  #showChoices(game) {
    const first = game.slides === 0;
    show(part("modes", HTMLElement), first);
    show(part("undos", HTMLElement), first);
    show(this.#button.new, !first);
    show(this.#button.undo, !first && game.undo === "one");
    this.#button.undo.disabled = game.previous === null;
    for (const button of this.#choices) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === game.mode || button.dataset.undo === game.undo));
    }
  }

  /** @param {Game} game */
  #showMessage(game) {
    const message = messageOf(game);
    show(this.#over, message !== null);
    say(part("live", HTMLElement), message === null ? "" : `${message.title} ${message.words}`);
    if (message === null) return;
    say(part("over-title", HTMLElement), message.title);
    say(part("over-words", HTMLElement), message.words);
    show(this.#button["over-go-on"], !message.over);
    show(this.#button["over-new"], message.over);
    show(this.#button["over-undo"], game.previous !== null);
  }

  async #renew() {
    const sure = !this.#underWay || (await confirm({ words: "Start a new game? This one will be lost.", yes: "New game", no: "Play on" }));
    if (sure) this.#deeds.renew();
  }

  async #race() {
    this.#button.race.disabled = true;
    const why = await this.#deeds.race();
    this.#button.race.disabled = false;
    if (why !== null) toast([{ serial: (this.#serial += 1), text: why }]);
  }
}

// The first slide waits for neither of these (pages/solo-later.js).

/** @param {import("../elements/confirm-dialog.js").Question} question @returns {Promise<boolean>} */
async function confirm(question) {
  const { ConfirmDialog } = await import("../elements/confirm-dialog.js");
  return part("confirm", ConfirmDialog).ask(question);
}

/** @param {readonly import("../race/view.js").Toast[]} toasts */
async function toast(toasts) {
  const { ToastList } = await import("../elements/toast-list.js");
  part("toasts", ToastList).toasts = toasts;
}
