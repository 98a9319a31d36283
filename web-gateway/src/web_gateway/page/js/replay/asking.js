import { BadReplay, readReplay } from "./answer.js";

/** @typedef {import("./answer.js").Replay} Replay */
/** Why there is nothing to show; `words` are there where the trouble has some of its own. @typedef {{readonly kind: "no-race" | "no-table" | "running" | "unreachable" | "refused" | "damaged", readonly words: string}} Trouble */

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
    if (answer.ok) return { replay: asAsked(readReplay(body), number) };
    if (body.error === "RACE_UNKNOWN") return { trouble: { kind: await whatIsMissing(address, ask), words: "" } };
    const kind = KINDS[body.error] ?? "refused";
    return { trouble: { kind, words: kind === "refused" ? String(body.message ?? "") : "" } };
  } catch (wrong) {
    return { trouble: wrong instanceof BadReplay ? { kind: "damaged", words: wrong.message } : { kind: "unreachable", words: "" } };
  }
}

/** Another race than the one asked for would be compared with nothing. @param {Replay} replay @param {string} number @returns {Replay} */
function asAsked(replay, number) {
  if (replay.race !== Number(number)) throw new BadReplay("it is of another race than the one asked for");
  return replay;
}

/** A race is as unknown where its table is gone. @param {string} address @param {typeof fetch} ask @returns {Promise<"no-race" | "no-table">} */
async function whatIsMissing(address, ask) {
  const { error } = await (await ask(address)).json();
  return error === "TABLE_UNKNOWN" ? "no-table" : "no-race";
}
