import { nameOf } from "./view.js";

/** @typedef {import("./frames.js").RaceFrame} RaceFrame */
/** @typedef {import("./frames.js").TableFrame} TableFrame */
/** @typedef {import("./view.js").View} View */

/**
 * Who the host has become.
 * @param {View} before
 * @param {TableFrame} after
 * @returns {string | null} null where it is the same
 */
export function hostNews(before, after) {
  if (after.host === null || before.table === null || before.table.host === after.host) return null;
  if (after.you.host) return before.table.you.host ? null : "You are the host now.";
  const { name } = after.seats.find(({ seat }) => seat === after.host) ?? { name: null };
  const same = before.table.seats.find(({ seat }) => seat === before.table?.host)?.name === name;
  return same ? null : `${name ?? "Somebody"} is the host now.`;
}

/**
 * How an offer ended.
 * @param {View} before
 * @param {RaceFrame} after
 * @returns {string | null} null where none has just ended, or the verdict says it
 */
export function offerNews(before, after) {
  const stood = before.race !== null && before.race.race === after.race ? before.race.offer : null;
  if (stood === null || after.offer !== null || after.verdict !== null || after.last_offer === null) return null;
  const { by, outcome, seat } = after.last_offer;
  const you = before.table?.you.seat ?? null;
  const offer = by === you ? "Your offer of a draw" : `${nameOf(before, by)}'s offer of a draw`;
  const who = seat === you ? "you" : nameOf(before, seat);
  switch (outcome) {
    case "declined": return seat === you ? `You declined ${offer}.` : `${offer} was declined by ${who}.`;
    case "slid": return `${offer} is off: ${who} slid on.`;
    case "lapsed": return `${offer} has lapsed.`;
    case "agreed": return null;
  }
}
