import { DRAW_BYTES } from "../engine/draw.js";
import { dismissed, newGame, slideGame, undone } from "./game.js";
import { KEY } from "./storage.js";

/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("../engine/slide.js").Motion} Motion */
/** @typedef {import("./game.js").Choice} Choice */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./storage.js").Best} Best */
/** @typedef {import("./storage.js").SoloStorage} SoloStorage */
/** @typedef {(change: {motions: readonly Motion[]}) => void} Changed */

/** The game that is being played, kept after every change; the tab that slid last has it. */
export class SoloGame {
  #storage;
  #changed;
  /** @type {Game} */
  #game;
  /** @type {Best} */
  #best;

  /** @param {SoloStorage} storage @param {Changed} changed */
  constructor(storage, changed) {
    this.#storage = storage;
    this.#changed = changed;
    this.#best = storage.best();
    this.#game = storage.game() ?? newGame(storage.choice(), freshBytes);
    addEventListener("storage", ({ key }) => (key === KEY.game || key === KEY.best) && this.#takeOver());
  }

  /** @returns {Game} */
  get game() {
    return this.#game;
  }

  /** @returns {number} the best score of this kind of game */
  get best() {
    return Math.max(this.#best[this.#game.mode], this.#game.score);
  }

  /** @param {Direction} direction */
  slide(direction) {
    const slid = slideGame(this.#game, direction, freshBytes);
    if (slid !== null) this.#become(slid.game, slid.motions);
  }

  undo() {
    const game = undone(this.#game);
    if (game !== this.#game) this.#become(game);
  }

  /** Puts the winning message away. */
  dismiss() {
    const game = dismissed(this.#game);
    if (game !== this.#game) this.#become(game);
  }

  /** @param {Partial<Choice>} [choice] kept for the next games, too */
  renew(choice = {}) {
    const chosen = { mode: this.#game.mode, undo: this.#game.undo, ...choice };
    this.#storage.keepChoice(chosen);
    this.#become(newGame(chosen, freshBytes));
  }

  /** Before the first slide the choice changes under the same board. @param {Partial<Choice>} choice */
  choose(choice) {
    const game = { ...this.#game, ...choice };
    this.#storage.keepChoice(game);
    this.#become(game);
  }

  /** @param {Game} game @param {readonly Motion[]} [motions] */
  #become(game, motions = []) {
    this.#game = game;
    const kept = this.#storage.best();
    const { mode, score } = game;
    const better = { classic: Math.max(kept.classic, this.#best.classic), endless: Math.max(kept.endless, this.#best.endless) };
    this.#best = { ...better, [mode]: Math.max(better[mode], score) };
    if (this.#best[mode] > kept[mode]) this.#storage.keepBest(this.#best);
    this.#storage.keepGame(game);
    this.#changed({ motions });
  }

  /** Another tab slid last: its game is shown here, too. */
  #takeOver() {
    this.#best = this.#storage.best();
    this.#game = this.#storage.game() ?? this.#game;
    this.#changed({ motions: [] });
  }
}

/** The browser's cryptographic generator. @returns {Uint8Array} what makes a draw */
const freshBytes = () => crypto.getRandomValues(new Uint8Array(DRAW_BYTES));
