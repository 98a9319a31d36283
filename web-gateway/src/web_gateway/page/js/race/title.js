import { isolated, minutes } from "../words.js";
import { whyNotStart } from "./start.js";
import { verdictWords } from "./verdict.js";
import { nameOf, raceOf, racingSeat, screenOf, timeOf } from "./view.js";

/** @typedef {import("./frames.js").TableFrame} TableFrame */
/** @typedef {import("./view.js").View} View */

const SITE = "tilerace";
/** @type {Readonly<Partial<Record<View["line"], string>>>} */
const LINES = { reconnecting: "Reconnecting", moved: "In another tab", gone: "Table gone", refused: "Closed" };

/**
 * What a tab in the background is to be known by.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {string}
 */
export function titleOf(view, at) {
  const state = LINES[view.line] ?? stateOf(view, at);
  return state === "" ? `${SITE}: a table` : `${state} – ${SITE}`;
}

/** @param {View} view @param {number} at @returns {string} */
function stateOf(view, at) {
  switch (screenOf(view, at)) {
    case "waiting": return "";
    case "gathering": return gatheringState(/** @type {TableFrame} */ (view.table));
    case "countdown": return "Get ready";
    case "racing": return racingState(view, at);
    case "finished": return verdictWords(view).title;
  }
}

/** @param {TableFrame} table @returns {string} */
function gatheringState(table) {
  const { you, seats, host } = table;
  const friends = seats.filter(({ name, seat }) => name !== null && seat !== host);
  if (you.host && friends.length > 0 && whyNotStart(table) === null) return friends.length === 1 ? `${isolated(friends[0].name ?? "")} is ready` : "Everyone is ready";
  if (you.seat !== null && !you.host && friends.some(({ seat, ready }) => seat === you.seat && ready !== true)) return "Press Ready";
  return friends.length === 0 ? "Waiting for friends" : "Gathering";
}

/** @param {View} view @param {number} at @returns {string} */
function racingState(view, at) {
  const offer = raceOf(view)?.offer ?? null;
  const you = racingSeat(view);
  if (offer !== null && you !== null && !offer.agreed.includes(you)) return `${nameOf(view, offer.by)} offers a draw`;
  const deadline = view.table?.race?.deadline ?? null;
  const doing = you === null ? "watching" : "racing";
  return deadline === null ? `${doing.charAt(0).toUpperCase()}${doing.slice(1)}` : `${minutes(deadline - timeOf(view, at))} ${doing}`;
}
