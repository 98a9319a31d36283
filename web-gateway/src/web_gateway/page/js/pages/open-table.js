import { knownRules } from "../race/known-rules.js";
import { knownName } from "../race/name.js";

/** @typedef {import("../race/frames.js").Rules} Rules */
/** @typedef {{url?: string, error?: string, message?: string}} Answer */

/**
 * Opens a table, under the name and with the rules chosen last, and goes there.
 * @returns {Promise<string | null>} why it could not be opened, in words; null when the page is being left
 */
export async function openTable() {
  try {
    const rules = knownRules();
    const first = await asked(rules);
    // Which clocks are on offer is the server's choice, and may have changed.
    const { url, message } = first.error === "BAD_RULES" && rules !== null ? await asked(null) : first;
    if (url === undefined) return message ?? "The table could not be opened. Please try again.";
    location.assign(url);
    return null;
  } catch {
    return "The server cannot be reached. You can play on your own meanwhile.";
  }
}

/** @param {Rules | null} rules @returns {Promise<Answer>} */
async function asked(rules) {
  const name = knownName();
  const wish = { ...(name === null ? {} : { name }), ...(rules === null ? {} : { rules }) };
  const answer = await fetch("/api/tables", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(wish),
  });
  return answer.json();
}
