import { readFileSync } from "node:fs";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/replay/answer.js").Replay} Replay */
/** @typedef {{seat: number, cells: number[], score: number, slides: number, state: string}} Final */
/** @typedef {{name: string, replay: any, finals: Final[]}} Case */

/** Races that the engine ran; tests/page/replay_races.py says where each comes from. @type {Case[]} */
export const CASES = JSON.parse(readFileSync(new URL("./replay_races.json", import.meta.url), "utf8")).cases;

/** @param {string} part of a case's name @returns {Case} a copy that may be tampered with */
export function caseOf(part) {
  const found = CASES.find(({ name }) => name.includes(part));
  if (found === undefined) throw new Error(`no case ${part}`);
  return structuredClone(found);
}
