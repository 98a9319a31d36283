import { knownName } from "../race/name.js";

/**
 * Opens a table and goes there.
 * @returns {Promise<string | null>} why it could not be opened, in words; null when the page is being left
 */
export async function openTable() {
  try {
    const name = knownName();
    const answer = await fetch("/api/tables", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(name === null ? {} : { name }),
    });
    const body = await answer.json();
    if (!answer.ok) return body.message ?? "The table could not be opened. Please try again.";
    location.assign(body.url);
    return null;
  } catch {
    return "The server cannot be reached. You can play on your own meanwhile.";
  }
}
