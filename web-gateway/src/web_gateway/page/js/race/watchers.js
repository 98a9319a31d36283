/** @typedef {import("./frames.js").TableFrame} TableFrame */

/**
 * Who watches, in words. One who has no seat is counted by the server, too, and knows it.
 * @param {TableFrame} table
 * @returns {string} "" where nobody does
 */
export function watchersWords({ watchers, you }) {
  if (you.seat !== null) return watchers === 0 ? "" : `${watchers} watching`;
  const others = Math.max(0, watchers - 1);
  if (others === 0) return "You are watching";
  return `You and ${others} ${others === 1 ? "other" : "others"} are watching`;
}
