/**
 * The store's clock as seen from here, by the pongs that came back fastest: half of a short round trip is a small error.
 * Local milliseconds are monotonic, but on many machines they stand still while it sleeps.
 * @typedef {{readonly samples: readonly Sample[], readonly roundTrip: number | null}} Clock
 */
/** @typedef {{readonly roundTrip: number, readonly ahead: number}} Sample */

/** How many round trips are remembered. */
const KEPT = 12;
/** What a message without a round trip counts as, so that any pong is better. */
const UNKNOWN_ROUND_TRIP = 60_000;
/** An answer is late after so long: something holds it up, which is said in words, and is no round trip to go by. */
export const LATE_MS = 1500;
/** By how many milliseconds two pongs may disagree, beyond what their round trips allow, before the clock has jumped. */
const DRIFT_MS = 20;
/** The same for a message without a round trip: it tells the time no later than it is. */
const JUMP_MS = 250;

/** @type {Clock} */
export const UNKNOWN_CLOCK = { samples: [], roundTrip: null };

/**
 * A message told the store's time, without a round trip.
 * @param {Clock} clock
 * @param {{now: number, at: number}} heard
 * @returns {Clock}
 */
export function told(clock, { now, at }) {
  const known = best(clock);
  const ahead = now - at;
  const allowed = known === null ? -Infinity : known.roundTrip === UNKNOWN_ROUND_TRIP ? known.ahead : known.ahead + halfOf(known) + JUMP_MS;
  return ahead <= allowed ? clock : { ...clock, samples: [{ roundTrip: UNKNOWN_ROUND_TRIP, ahead }] };
}

/**
 * A pong came back. One that cannot be true together with those before tells that the local clock has jumped.
 * @param {Clock} clock
 * @param {{t: number, at: number, now: number}} pong when the ping left, when the pong came, the store's time between
 * @returns {Clock}
 */
export function ponged(clock, { t, at, now }) {
  const roundTrip = Math.max(0, at - t);
  const sample = { roundTrip, ahead: now - (t + roundTrip / 2) };
  const known = best(clock);
  const jumped = known !== null && Math.abs(sample.ahead - known.ahead) > halfOf(sample) + halfOf(known) + DRIFT_MS;
  const before = jumped ? [] : clock.samples;
  return { samples: [...before, sample].slice(-KEPT), roundTrip: smoothed(clock.roundTrip, roundTrip) };
}

/**
 * A slide was answered, which shows the round trip that a racer feels.
 * @param {Clock} clock
 * @param {number} roundTrip
 * @returns {Clock}
 */
export const felt = (clock, roundTrip) => ({ ...clock, roundTrip: smoothed(clock.roundTrip, roundTrip) });

/**
 * Another connection: the store's clock is the same, the way to it may be another.
 * @param {Clock} clock
 * @returns {Clock}
 */
export const elsewhere = (clock) => ({ ...clock, roundTrip: null });

/** @param {number | null} before @param {number} latest @returns {number | null} */
function smoothed(before, latest) {
  if (latest > LATE_MS) return before;
  return before === null ? latest : before * 0.7 + latest * 0.3;
}

/** @param {Sample} sample @returns {number} by how much it may be wrong */
const halfOf = ({ roundTrip }) => roundTrip / 2;

/** @param {Clock} clock @returns {Sample | null} */
function best({ samples }) {
  return samples.reduce((/** @type {Sample | null} */ least, sample) => (least === null || sample.roundTrip < least.roundTrip ? sample : least), null);
}

/**
 * The store's time.
 * @param {Clock} clock
 * @param {number} at local milliseconds
 * @returns {number} milliseconds since the epoch; 0 while nothing has been heard
 */
export function storeTime(clock, at) {
  const known = best(clock);
  return known === null ? 0 : at + known.ahead;
}
