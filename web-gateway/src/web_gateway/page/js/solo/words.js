import { biggest, BIGGEST_EXPONENT, valueOf } from "../engine/board.js";
import { grouped } from "../words.js";
import { isOver } from "./game.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {{readonly title: string, readonly words: string, readonly over: boolean}} Message */

/**
 * What is said over the board.
 * @param {Game} game
 * @returns {Message | null}
 */
export function messageOf({ word, score, board }) {
  const points = `${grouped(score)} points`;
  switch (word) {
    case "won": return { title: "You made 2048!", words: "Slide on for 4096, 8192 and a higher score.", over: false };
    case "won-stuck": return { title: "You made 2048!", words: `And with your very last slide: ${points}.`, over: true };
    case "stuck": return { title: "Game over", words: `No slide is left. ${points}, biggest tile ${valueOf(biggest(board))}.`, over: true };
    case null: return null;
  }
}

/**
 * A line on what to do: how, on the very first visit, then what for, and after the end what then.
 * @param {Game} game
 * @param {{isFirst: boolean, hasKeys: boolean}} visitor
 * @returns {string}
 */
export function hintOf(game, { isFirst, hasKeys }) {
  if (isOver(game)) return "New game starts the next one.";
  const [how, what] = [hasKeys ? "Arrow keys or W A S D slide all tiles" : "Swipe to slide all tiles", goalOf(game)];
  if (isFirst) return `${how}. Two equal ones become one. ${what}`;
  const canUndo = hasKeys && game.undo === "one" && game.slides > 0;
  return canUndo ? `${what} U takes a slide back.` : what;
}

/** @param {Game} game @returns {string} */
function goalOf({ mode, won, board }) {
  if (mode === "endless") return "Play until no slide is left.";
  if (!won) return "Make a 2048!";
  const exponent = biggest(board);
  return exponent === BIGGEST_EXPONENT ? "There is no bigger tile than yours." : `Next: ${valueOf(exponent + 1)}.`;
}
