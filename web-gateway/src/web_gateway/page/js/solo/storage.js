import { biggest, emptyCells, isBoard } from "../engine/board.js";
import { fromHex, toHex } from "../engine/bytes.js";
import { DRAW_BYTES } from "../engine/draw.js";
import { canSlide } from "../engine/slide.js";
import { jsonOn, keepOn, textOn } from "../shelf.js";
import { WINNING } from "./game.js";

/** @typedef {import("./game.js").Choice} Choice */
/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./game.js").Mode} Mode */
/** @typedef {import("./game.js").Place} Place */
/** @typedef {Readonly<Record<Mode, number>>} Best */
/** @typedef {import("../shelf.js").Shelf} Shelf */

/** More than any game can count: a board full from 131072 down to 4, made of nothing but 2s, has 3,932,164 points. */
const MOST = 4_000_000;
/** The format of what is kept; another version's game is not read. */
const FORMAT = 1;
/** Where things are kept. */
export const KEY = { game: "tilerace.solo.game", best: "tilerace.solo.best", choice: "tilerace.solo.choice" };
/** @type {Best} */
const NO_BEST = { classic: 0, endless: 0 };
/** @type {Choice} */
export const FIRST_CHOICE = { mode: "classic", undo: "one" };
const WORDS = [null, "won", "stuck", "won-stuck"];

/** Keeps the solo game in the browser's storage, which may throw, be full, or hold anything at all. */
export class SoloStorage {
  #shelf;
  /** What is kept of the game, as it was last read or written here. @type {string | null} */
  #known = null;

  /** @param {Shelf} shelf */
  constructor(shelf) {
    this.#shelf = shelf;
  }

  /** @returns {Best} each score by itself, as far as it can be read */
  best() {
    const read = this.#read(KEY.best);
    return { classic: countOf(read?.classic) ?? 0, endless: countOf(read?.endless) ?? 0 };
  }

  /** @param {Best} best @returns {boolean} whether it was kept */
  keepBest(best) {
    return this.#write(KEY.best, { ...NO_BEST, ...best });
  }

  /** @returns {Choice} */
  choice() {
    return choiceOf(this.#read(KEY.choice)) ?? FIRST_CHOICE;
  }

  /** @param {Choice} choice @returns {boolean} whether it was kept */
  keepChoice({ mode, undo }) {
    return this.#write(KEY.choice, { mode, undo });
  }

  /** @returns {Game | null} null where there is none that can be played on */
  game() {
    this.#known = textOn(this.#shelf, KEY.game);
    return gameOf(this.#read(KEY.game));
  }

  /** @returns {boolean} whether there is a game that another tab has kept since this one last read or kept one */
  isAhead() {
    const text = textOn(this.#shelf, KEY.game);
    return text !== null && text !== this.#known;
  }

  /** @returns {boolean} whether nothing is kept of a game, not even one that cannot be read */
  isEmpty() {
    return textOn(this.#shelf, KEY.game) === null;
  }

  /** @param {Game} game @returns {boolean} whether it was kept */
  keepGame(game) {
    const { previous, kept } = game;
    const before = previous === null ? null : { ...previous, drawn: toHex(previous.drawn) };
    const isKept = this.#write(KEY.game, { ...game, format: FORMAT, previous: before, kept: kept === null ? null : toHex(kept) });
    this.#known = textOn(this.#shelf, KEY.game);
    return isKept;
  }

  /** @param {string} key @returns {Record<string, unknown> | null} */
  #read(key) {
    const read = jsonOn(this.#shelf, key);
    return typeof read === "object" ? read : null;
  }

  /** @param {string} key @param {object} what @returns {boolean} */
  #write(key, what) {
    return keepOn(this.#shelf, key, JSON.stringify(what));
  }
}

/** @param {unknown} thing @returns {number | null} */
const countOf = (thing) => (Number.isSafeInteger(thing) && Number(thing) >= 0 && Number(thing) <= MOST ? Number(thing) : null);

/** @param {Record<string, unknown> | null} read @returns {Choice | null} */
function choiceOf(read) {
  const { mode, undo } = read ?? {};
  const known = (mode === "classic" || mode === "endless") && (undo === "one" || undo === "none");
  return known ? { mode, undo } : null;
}

/**
 * A game from what was read, or null where any part of it cannot be; only an undo that does not fit is left out.
 * @param {Record<string, unknown> | null} read
 * @returns {Game | null}
 */
function gameOf(read) {
  const choice = choiceOf(read);
  const place = placeOf(read);
  if (read === null || read.format !== FORMAT || choice === null || place === null || !isTrue(place, choice)) return null;
  const previous = choice.undo === "one" ? beforeOf(/** @type {Record<string, unknown> | null} */ (read.previous), place) : null;
  return { ...choice, ...place, previous, kept: bytesOf(read.kept) };
}

/** @param {Record<string, unknown> | null} read @param {Place} after @returns {import("./game.js").Before | null} */
function beforeOf(read, after) {
  const [before, drawn] = [placeOf(read), bytesOf(read?.drawn)];
  const fits = before !== null && before.slides === after.slides - 1 && before.score <= after.score && canSlide(before.board);
  return fits && drawn !== null ? { ...before, word: null, drawn } : null;
}

/** @param {Record<string, unknown> | null | undefined} read @returns {Place | null} */
function placeOf(read) {
  const { board, score, slides, won, word } = read ?? {};
  const counts = countOf(score) !== null && countOf(slides) !== null;
  if (!isBoard(board) || !counts || typeof won !== "boolean" || !WORDS.includes(/** @type {string | null} */ (word))) return null;
  if (emptyCells(board).length > 14) return null;
  return /** @type {Place} */ ({ board, score, slides, won, word });
}

/** @param {Place} place @param {Choice} choice @returns {boolean} whether what is said of the board is true */
function isTrue({ board, won, word }, { mode }) {
  const saysOver = word === "stuck" || word === "won-stuck";
  const saysWon = won || word === "won" || word === "won-stuck";
  return saysOver === !canSlide(board) && (!saysWon || (mode === "classic" && won && biggest(board) >= WINNING));
}

/** @param {unknown} thing @returns {Uint8Array | null} */
function bytesOf(thing) {
  return typeof thing === "string" && /^[0-9a-f]{32}$/.test(thing) && thing.length === 2 * DRAW_BYTES ? fromHex(thing) : null;
}
