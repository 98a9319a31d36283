import { biggest, EMPTY_BOARD, withTile } from "../engine/board.js";
import { cellOf, drawOf, place } from "../engine/draw.js";
import { canSlide, DIRECTIONS, slide } from "../engine/slide.js";

/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("../engine/slide.js").Motion} Motion */
/** @typedef {"classic" | "endless"} Mode */
/** @typedef {"one" | "none"} Undo */
/** @typedef {{readonly mode: Mode, readonly undo: Undo}} Choice */
/** What the page says over the board: won, stuck, or both by one slide. @typedef {"won" | "stuck" | "won-stuck"} Word */
/**
 * Where a game stands.
 * @typedef {object} Place
 * @property {Board} board
 * @property {number} score
 * @property {number} slides
 * @property {boolean} won whether a 2048 was made in this game
 * @property {Word | null} word
 */
/**
 * A game on one's own (docs/rules.md §3).
 * @typedef {Choice & Place & {readonly previous: Before | null, readonly kept: Uint8Array | null}} Game
 */
/**
 * What undo goes back to, with the bytes that the slide's draw was made of.
 * @typedef {Place & {readonly drawn: Uint8Array}} Before
 */
/**
 * A slide that was made: its game, the ways of the tiles, its points, the tiles that its merges made, and the one drawn.
 * @typedef {object} Slid
 * @property {Game} game
 * @property {readonly Motion[]} motions
 * @property {number} points
 * @property {readonly number[]} made exponents
 * @property {{readonly cell: number, readonly exponent: number}} came
 */

/** The exponent of the tile that wins a Classic game. */
export const WINNING = 11;

/**
 * A new game.
 * @param {Choice} choice
 * @param {() => Uint8Array} fresh gives sixteen random bytes
 * @returns {Game}
 */
export function newGame({ mode, undo }, fresh) {
  const board = place(place(EMPTY_BOARD, drawOf(fresh())), drawOf(fresh()));
  return { mode, undo, board, score: 0, slides: 0, won: false, word: null, previous: null, kept: null };
}

/**
 * Slides.
 * @param {Game} game
 * @param {Direction} direction
 * @param {() => Uint8Array} fresh gives sixteen random bytes
 * @returns {Slid | null} null where nothing changes
 */
export function slideGame(game, direction, fresh) {
  const slid = slide(game.board, direction);
  if (slid === null) return null;
  const drawn = game.kept ?? fresh();
  const { exponent } = drawOf(drawn);
  const came = { exponent, cell: cellOf(drawOf(drawn), slid.board) };
  const board = withTile(slid.board, came.cell, exponent);
  const winning = game.mode === "classic" && !game.won && biggest(slid.board) >= WINNING;
  const word = wordFor(winning, !canSlide(board));
  const after = { board, score: game.score + slid.points, slides: game.slides + 1, won: game.won || winning, word };
  const previous = game.undo === "one" ? { ...placeOf(game), word: null, drawn } : null;
  const next = { mode: game.mode, undo: game.undo, ...after, previous, kept: null };
  return { game: next, motions: slid.motions, points: slid.points, made: madeBy(slid), came };
}

/** @param {import("../engine/slide.js").Slide} slide @returns {number[]} the exponents of the tiles that it made */
function madeBy({ board, motions }) {
  const cells = new Set(motions.filter(([, , merged]) => merged).map(([, to]) => to));
  return [...cells].map((cell) => board[cell]);
}

/** @param {boolean} winning @param {boolean} stuck @returns {Word | null} */
function wordFor(winning, stuck) {
  if (winning) return stuck ? "won-stuck" : "won";
  return stuck ? "stuck" : null;
}

/** @param {Place} place @returns {Place} */
const placeOf = ({ board, score, slides, won, word }) => ({ board, score, slides, won, word });

/**
 * Takes the last slide back, once; the draw is kept, so that sliding again meets the same one.
 * @param {Game} game
 * @returns {Game} the same one where there is nothing to take back
 */
export function undone(game) {
  if (game.previous === null) return game;
  const { drawn, ...back } = game.previous;
  return { ...game, ...back, previous: null, kept: drawn };
}

/**
 * The ways that the tiles went in the last slide, as long as it can be taken back.
 * @param {Game} game
 * @returns {readonly Motion[]}
 */
export function lastMotions({ board, previous }) {
  if (previous === null) return [];
  const slides = DIRECTIONS.map((direction) => slide(previous.board, direction)).filter((slid) => slid !== null);
  const made = slides.find((slid) => place(slid.board, drawOf(previous.drawn)).every((exponent, cell) => exponent === board[cell]));
  return made?.motions ?? [];
}

/**
 * Puts the winning message away.
 * @param {Game} game
 * @returns {Game}
 */
export const dismissed = (game) => (game.word === "won" ? { ...game, word: null } : game);

/**
 * Whether no slide is left.
 * @param {Game} game
 * @returns {boolean}
 */
export const isOver = (game) => game.word === "stuck" || game.word === "won-stuck";

/**
 * Whether a new game would lose something: it has been started, and is not over.
 * @param {Game} game
 * @returns {boolean}
 */
export const isUnderWay = (game) => game.slides > 0 && !isOver(game);
