import { DRAW_BYTES } from "../engine/draw.js";
import { dismissed, newGame, slideGame, undone } from "./game.js";

/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("./game.js").Choice} Choice */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Slid} Slid */
/** @typedef {import("./storage.js").Best} Best */
/** @typedef {import("./storage.js").SoloStorage} SoloStorage */
/** What one did to the game, or what another tab did. @typedef {"slid" | "undone" | "dismissed" | "renewed" | "chosen" | "followed"} Deed */
/**
 * What has changed: by what deed, the slide if it was one, the game before, and whether the new one is kept.
 * @typedef {{readonly deed: Deed, readonly slid: Slid | null, readonly before: Game, readonly isKept: boolean}} Change
 */

/** The game that is being played, kept after every change; the tab that slid last has it, and the others follow. */
export class SoloGame {
  #storage;
  #changed;
  #fresh;
  /** @type {Game} */
  #game;
  /** @type {Best} */
  #best;
  #isLost;

  /**
   * @param {SoloStorage} storage
   * @param {(change: Change) => void} changed
   * @param {() => Uint8Array} [fresh] gives what makes a draw
   */
  constructor(storage, changed, fresh = freshBytes) {
    this.#storage = storage;
    this.#changed = changed;
    this.#fresh = fresh;
    this.#best = storage.best();
    const kept = storage.game();
    this.#isLost = kept === null && !storage.isEmpty();
    this.#game = kept ?? newGame(storage.choice(), fresh);
    // What cannot be read may be another version's, and stays until one slides.
    if (kept === null && !this.#isLost) storage.keepGame(this.#game);
  }

  /** @returns {Game} */
  get game() {
    return this.#game;
  }

  /** @returns {number} the best score of this kind of game */
  get best() {
    return Math.max(this.#best[this.#game.mode], this.#game.score);
  }

  /** @returns {boolean} whether nothing was ever played here */
  get isFirst() {
    return this.#game.slides === 0 && this.#best.classic + this.#best.endless === 0;
  }

  /** @returns {boolean} whether a game was kept that could not be read */
  get isLost() {
    return this.#isLost;
  }

  /** @param {Direction} direction */
  slide(direction) {
    if (this.follow()) return;
    const slid = slideGame(this.#game, direction, this.#fresh);
    if (slid !== null) this.#become(slid.game, "slid", slid);
  }

  undo() {
    if (!this.follow()) this.#become(undone(this.#game), "undone");
  }

  /** Puts the winning message away. */
  dismiss() {
    if (!this.follow()) this.#become(dismissed(this.#game), "dismissed");
  }

  /** A new game of the same kind. */
  renew() {
    if (!this.follow()) this.#become(newGame(this.#game, this.#fresh), "renewed");
  }

  /** Before the first slide the choice changes under the same board; it is kept for the next games, too. @param {Partial<Choice>} choice */
  choose(choice) {
    if (this.follow() || this.#game.slides > 0) return;
    const game = { ...this.#game, ...choice };
    this.#storage.keepChoice(game);
    this.#become(game, "chosen");
  }

  /**
   * Takes over the game where another tab has gone on with it.
   * @returns {boolean} whether one has
   */
  follow() {
    const game = this.#storage.isAhead() ? this.#storage.game() : null;
    this.#best = better(this.#best, this.#storage.best());
    if (game === null) return false;
    const before = this.#game;
    this.#game = game;
    this.#changed({ deed: "followed", slid: null, before, isKept: true });
    return true;
  }

  /** @param {Game} game @param {Deed} deed @param {Slid | null} [slid] */
  #become(game, deed, slid = null) {
    const before = this.#game;
    if (game === before) return;
    this.#game = game;
    const kept = this.#storage.best();
    this.#best = better(better(kept, this.#best), { ...kept, [game.mode]: game.score });
    const isBetter = this.#best.classic > kept.classic || this.#best.endless > kept.endless;
    // The best score first: where there is no room for both it is worth more.
    if (isBetter) this.#storage.keepBest(this.#best);
    const isKept = this.#storage.keepGame(game);
    this.#changed({ deed, slid, before, isKept });
  }
}

/** @param {Best} one @param {Best} other @returns {Best} */
const better = (one, other) => ({ classic: Math.max(one.classic, other.classic), endless: Math.max(one.endless, other.endless) });

/** The browser's cryptographic generator. @returns {Uint8Array} what makes a draw */
const freshBytes = () => crypto.getRandomValues(new Uint8Array(DRAW_BYTES));
