import { listed, reasonWords } from "../words.js";
import { nameOf, racingSeat, verdictOf } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {"won" | "lost" | "tied" | "watched"} Mood */

/**
 * Who won and why, in words.
 * @param {View} view
 * @returns {{title: string, why: string, mood: Mood}}
 */
export function verdictWords(view) {
  const verdict = verdictOf(view);
  if (verdict === null) return { title: "The race is over", why: "", mood: "watched" };
  const why = sentence(reasonWords(verdict.reason, view.table?.race?.rules.target ?? null));
  const you = racingSeat(view);
  if (verdict.winner === null) return { title: tieTitle(view, verdict.tied, you), why, mood: moodOf(you, verdict.tied, "tied") };
  const title = verdict.winner === you ? "You won!" : `${nameOf(view, verdict.winner)} won`;
  return { title, why, mood: moodOf(you, [verdict.winner], "won") };
}

/** @param {View} view @param {number[]} tied @param {number | null} you @returns {string} */
function tieTitle(view, tied, you) {
  const others = tied.filter((seat) => seat !== you).map((seat) => nameOf(view, seat));
  return others.length === tied.length ? `A draw between ${listed(others)}` : `A draw with ${listed(others)}`;
}

/** @param {number | null} you @param {number[]} best @param {Mood} mood @returns {Mood} */
function moodOf(you, best, mood) {
  if (you === null) return "watched";
  return best.includes(you) ? mood : "lost";
}

/** @param {string} words @returns {string} */
const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
