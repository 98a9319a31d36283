import { knownRules } from "../race/known-rules.js";
import { knownName } from "../race/name.js";

/** @typedef {import("../race/frames.js").Rules} Rules */
/** @typedef {{url?: string, error?: string, message?: string}} Answer */

/** Refusals of what was sent along, which does not have to be. */
const OF_WHAT_IS_KEPT = new Set(["BAD_NAME", "BAD_RULES", "BAD_REQUEST"]);

/**
 * Opens a table, under the name and with the rules chosen last, and goes there.
 * @returns {Promise<string | null>} why it could not be opened, in words; null when the page is being left
 */
export async function openTable() {
  try {
    const first = await asked(knownName(), knownRules());
    // What is kept may be no name any more, or have a clock that this server does not offer: a table is better than none.
    const { url, message } = OF_WHAT_IS_KEPT.has(first.error ?? "") ? await asked(null, null) : first;
    if (url === undefined) return message ?? "The table could not be opened. Please try again.";
    location.assign(url);
    return null;
  } catch {
    return `${navigator.onLine ? "The server cannot be reached." : "You are offline."} You can play on your own meanwhile.`;
  }
}

/** @param {string | null} name @param {Rules | null} rules @returns {Promise<Answer>} */
async function asked(name, rules) {
  const wish = { ...(name === null ? {} : { name }), ...(rules === null ? {} : { rules }) };
  const answer = await fetch("/api/tables", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(wish),
  });
  return answer.json();
}
