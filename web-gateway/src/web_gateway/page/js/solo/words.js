import { valueOf } from "../engine/board.js";
import { grouped } from "../words.js";
import { isUnderWay } from "./game.js";

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
    case "stuck": return { title: "No slide is left", words: `${points}, biggest tile ${valueOf(Math.max(...board))}.`, over: true };
    case null: return null;
  }
}

/**
 * A line on what the game is about.
 * @param {Game} game
 * @returns {string}
 */
export function hintOf(game) {
  if (isUnderWay(game)) return game.mode === "classic" ? "Arrow keys, W A S D, swipe or drag. U takes a slide back." : "Endless: play until no slide is left.";
  return game.mode === "classic" ? "Slide equal tiles together, and make a 2048." : "Nothing to reach. Play until no slide is left.";
}
