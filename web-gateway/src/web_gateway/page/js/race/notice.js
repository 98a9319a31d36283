import { grouped, listed } from "../words.js";
import { afterFreed } from "./freed.js";
import { nameOf, raceOf, racingSeat, standingOf } from "./view.js";
import { watchersWords } from "./watchers.js";

/** @typedef {import("./frames.js").Standing} Standing */
/** @typedef {import("./view.js").View} View */

/**
 * What one who does not slide has to know: that one watches, is stuck, or is out, and what may still happen.
 * @param {View} view
 * @returns {string} "" for one who slides
 */
export function noticeOf(view) {
  const own = standingOf(view, racingSeat(view));
  if (racingSeat(view) === null) return watchingWords(view);
  if (own?.state === "stuck") return stuckWords(view, own);
  if (own?.state !== "out") return "";
  const why = own.out === "left_behind" ? "The others raced on without you." : "You have resigned.";
  return view.leaving ? `${why} Your seat is free after the race. You can watch to the end.` : `${why} You can watch to the end, or leave.`;
}

/** @param {View} view @returns {string} */
function watchingWords({ freed, table }) {
  const watching = table === null ? "You are watching" : watchersWords(table);
  return afterFreed(freed, `${watching}. All boards are shown when the race is over.`);
}

/** @param {View} view @param {Standing} own @returns {string} */
function stuckWords(view, own) {
  const stands = `You are stuck, and your score of ${grouped(own.score)} stands.`;
  const ahead = inRace(view).filter(({ score }) => score > own.score).map(({ seat }) => nameOf(view, seat));
  if (view.leaving) return `${stands} You have left, and it still counts.`;
  return ahead.length === 0 ? `${stands} ${ifNobodyPasses(view)}` : `${stands} You are behind ${listed(ahead)}, so you can win only if they go out.`;
}

/** @param {View} view @returns {string} */
function ifNobodyPasses(view) {
  const target = view.table?.race?.rules.target ?? null;
  return target === null ? "You win if nobody passes it." : `You win if nobody passes it or makes the ${target}.`;
}

/** @param {View} view @returns {Standing[]} */
const inRace = (view) => raceOf(view)?.standings.filter(({ state }) => state !== "out") ?? [];
