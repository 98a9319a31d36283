import { BadReplay, readReplay } from "./answer.js";

/** @typedef {import("./answer.js").Replay} Replay */
/** Why there is nothing to show; `words` are there where the trouble has some of its own. @typedef {{readonly kind: "no-race" | "no-table" | "running" | "unreachable" | "damaged", readonly words: string}} Trouble */

/** @type {Readonly<Record<string, Trouble["kind"]>>} */
const KINDS = { TABLE_UNKNOWN: "no-table", RACE_NOT_OVER: "running" };

/**
 * Asks for a race that is over.
 * @param {string} table
 * @param {string} number
 * @param {typeof fetch} [ask]
 * @returns {Promise<{readonly replay: Replay} | {readonly trouble: Trouble}>}
 */
export async function askReplay(table, number, ask = fetch) {
  const address = `/api/tables/${encodeURIComponent(table)}`;
  try {
    const answer = await ask(`${address}/races/${encodeURIComponent(number)}/replay`);
    const body = await answer.json();
    if (answer.ok) return { replay: readReplay(body) };
    return { trouble: { kind: body.error === "RACE_UNKNOWN" ? await whatIsMissing(address, ask) : (KINDS[body.error] ?? "unreachable"), words: "" } };
  } catch (wrong) {
    return { trouble: wrong instanceof BadReplay ? { kind: "damaged", words: wrong.message } : { kind: "unreachable", words: "" } };
  }
}

/** A race is as unknown where its table is gone. @param {string} address @param {typeof fetch} ask @returns {Promise<"no-race" | "no-table">} */
async function whatIsMissing(address, ask) {
  const { error } = await (await ask(address)).json();
  return error === "TABLE_UNKNOWN" ? "no-table" : "no-race";
}
