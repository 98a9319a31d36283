import { BadReplay, readReplay } from "./answer.js";

/** @typedef {import("./answer.js").Replay} Replay */
/** Why there is nothing to show; `words` are there where the trouble has some of its own. @typedef {{readonly kind: "no-race" | "no-table" | "running" | "unreachable" | "damaged", readonly words: string}} Trouble */

/** @type {Readonly<Record<string, Trouble["kind"]>>} */
const KINDS = { RACE_UNKNOWN: "no-race", TABLE_UNKNOWN: "no-table", RACE_NOT_OVER: "running" };

/**
 * Asks for a race that is over.
 * @param {string} table
 * @param {string} number
 * @param {typeof fetch} [ask]
 * @returns {Promise<{readonly replay: Replay} | {readonly trouble: Trouble}>}
 */
export async function askReplay(table, number, ask = fetch) {
  try {
    const answer = await ask(`/api/tables/${encodeURIComponent(table)}/races/${encodeURIComponent(number)}/replay`);
    const body = await answer.json();
    return answer.ok ? { replay: readReplay(body) } : { trouble: { kind: KINDS[body.error] ?? "unreachable", words: "" } };
  } catch (wrong) {
    return { trouble: wrong instanceof BadReplay ? { kind: "damaged", words: wrong.message } : { kind: "unreachable", words: "" } };
  }
}
