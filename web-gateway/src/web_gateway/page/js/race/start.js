import { isolated, listed } from "../words.js";

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
  const unready = waited.map(({ name }) => isolated(name ?? ""));
  return unready.length === 0 ? null : `Waiting for ${listed(unready)} to press Ready.`;
}

/**
 * Why the race cannot be run again: it takes two of its racers.
 * @param {TableFrame} table
 * @returns {string | null} null when it can
 */
export function whyNotAgain({ seats, race }) {
  const racers = race?.racers ?? [];
  const seated = seats.filter(({ seat, name }) => name !== null && racers.some((racer) => racer.seat === seat));
  if (seated.filter(({ connected }) => connected !== false).length >= 2) return null;
  const away = seated.filter(({ connected }) => connected === false).map(({ name }) => isolated(name ?? ""));
  return away.length > 0 ? `Waiting for ${listed(away)} to come back.` : "The others have left. Change the settings to race with someone new.";
}
