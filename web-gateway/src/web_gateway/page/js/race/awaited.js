import { LATE_MS } from "./clock.js";

/** @typedef {import("./view.js").View} View */
/**
 * What the server owes this page an answer to, and since when, in local milliseconds; null where it owes nothing.
 * @typedef {object} Awaited
 * @property {number | null} table the first table of a connection
 * @property {number | null} ping
 * @property {{readonly serial: number, readonly since: number} | null} key the first key that is not yet known to be applied
 * @property {{readonly id: string, readonly since: number} | null} ask the oldest of what was asked
 * @property {number} seen when this was looked at last
 */

/** A break this short is over before it has been read about. */
export const SHORT_MS = 1000;
/** After so long without a tick the page itself slept, and answers may lie waiting to be read. */
const ASLEEP_MS = 500;
/** The first table of all may take longer: a page that is just being opened is waited for anyway. */
const FIRST_TABLE_MS = 3000;

/** @type {Awaited} */
export const NOTHING_AWAITED = { table: null, ping: null, key: null, ask: null, seen: 0 };

/**
 * What is awaited after something has happened. What is late stays so over a break, until it is answered: it is the
 * server that is slow, not the connection.
 * @param {View} before
 * @param {View} after
 * @param {number} at local milliseconds
 * @returns {Awaited}
 */
export function awaitedAfter(before, after, at) {
  const had = awake(after.awaited, at);
  if (after.line === "open") return owed(had, after, at);
  if (after.line === "connecting") return { ...NOTHING_AWAITED, table: had.table ?? at, seen: at };
  const slow = after.line === "reconnecting" && (before.line === "reconnecting" || latest(before.awaited, at) > LATE_MS);
  return slow ? had : { ...NOTHING_AWAITED, seen: at };
}

/** @param {Awaited} had @param {View} view @param {number} at @returns {Awaited} */
function owed(had, { heard, slides, pending }, at) {
  const [key] = slides.keys;
  const [ask] = pending;
  return {
    table: heard.table ? null : (had.table ?? at),
    ping: had.ping,
    key: key === undefined ? null : { serial: key.serial, since: had.key?.serial === key.serial ? had.key.since : at },
    ask: ask === undefined ? null : { id: ask.id, since: had.ask?.id === ask.id ? had.ask.since : at },
    seen: at,
  };
}

/** @param {Awaited} awaited @param {number} at @returns {Awaited} the time that the page itself slept is not the server's */
function awake(awaited, at) {
  const slept = at - awaited.seen;
  if (slept < ASLEEP_MS) return awaited;
  const { table, ping, key, ask } = awaited;
  const later = (/** @type {number | null} */ since) => (since === null ? null : since + slept);
  return { table: later(table), ping: later(ping), key: key && { ...key, since: key.since + slept }, ask: ask && { ...ask, since: ask.since + slept }, seen: at };
}

/** @param {Awaited} awaited @param {number} at @returns {number} for how long the oldest answer has been awaited */
function latest({ table, ping, key, ask }, at) {
  return Math.max(0, ...[table, ping, key?.since ?? null, ask?.since ?? null].map((since) => (since === null ? 0 : at - since)));
}

/**
 * Whether the server is slow to answer, though it is connected, or was a moment ago.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {boolean}
 */
export function isSlow({ line, lost, awaited }, at) {
  const here = line === "open" || (lost === null ? line === "connecting" : !lost.sentAway && at - lost.at < SHORT_MS);
  return here && latest(awaited, at) > LATE_MS;
}

/**
 * Whether one who comes to the table has waited for some time.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {boolean}
 */
export function isLongComing({ table, lost, awaited }, at) {
  return table === null && ((lost !== null && at - lost.at >= SHORT_MS) || (awaited.table !== null && at - awaited.table > FIRST_TABLE_MS));
}

/**
 * Until when others' time to come back is counted: nobody loses it to an outage, so it stands still while there is one.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {number} local milliseconds
 */
export function heldAt(view, at) {
  if (view.unheard !== null) return view.unheard;
  return isSlow(view, at) ? at - latest(view.awaited, at) + LATE_MS : at;
}
