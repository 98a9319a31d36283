import { listed } from "../words.js";

/** @typedef {import("./frames.js").TableFrame} TableFrame */

/**
 * Why Start cannot be pressed yet.
 * @param {TableFrame} table
 * @returns {string | null} null when it can
 */
export function whyNotStart({ seats, host, you }) {
  const friends = seats.filter(({ name, seat }) => name !== null && seat !== host);
  if (friends.length === 0) return "Waiting for a friend to sit down.";
  const waited = friends.filter(({ ready }) => ready !== true);
  if (waited.some(({ seat }) => seat === you.seat)) return "Press Ready when you are.";
  const unready = waited.map(({ name }) => name ?? "");
  return unready.length === 0 ? null : `Waiting for ${listed(unready)} to press Ready.`;
}
