/**
 * The store's clock as seen from here, by the pongs that came back fastest: half of a short round trip is a small error.
 * Local milliseconds are monotonic.
 * @typedef {{readonly samples: readonly Sample[], readonly roundTrip: number | null}} Clock
 */
/** @typedef {{readonly roundTrip: number, readonly ahead: number}} Sample */

/** How many round trips are remembered. */
const KEPT = 12;
/** What a message without a round trip counts as, so that any pong is better. */
const UNKNOWN_ROUND_TRIP = 60_000;

/** @type {Clock} */
export const UNKNOWN_CLOCK = { samples: [], roundTrip: null };

/**
 * A message told the store's time, without a round trip.
 * @param {Clock} clock
 * @param {{now: number, at: number}} heard
 * @returns {Clock}
 */
export function told(clock, { now, at }) {
  return clock.samples.length > 0 ? clock : { ...clock, samples: [{ roundTrip: UNKNOWN_ROUND_TRIP, ahead: now - at }] };
}

/**
 * A pong came back.
 * @param {Clock} clock
 * @param {{t: number, at: number, now: number}} pong when the ping left, when the pong came, the store's time between
 * @returns {Clock}
 */
export function ponged(clock, { t, at, now }) {
  const roundTrip = Math.max(0, at - t);
  const sample = { roundTrip, ahead: now - (t + roundTrip / 2) };
  return { samples: [...clock.samples, sample].slice(-KEPT), roundTrip: smoothed(clock.roundTrip, roundTrip) };
}

/**
 * A slide was answered, which shows the round trip that a racer feels.
 * @param {Clock} clock
 * @param {number} roundTrip
 * @returns {Clock}
 */
export const felt = (clock, roundTrip) => ({ ...clock, roundTrip: smoothed(clock.roundTrip, roundTrip) });

/** @param {number | null} before @param {number} latest @returns {number} */
const smoothed = (before, latest) => (before === null ? latest : before * 0.7 + latest * 0.3);

/**
 * The store's time.
 * @param {Clock} clock
 * @param {number} at local milliseconds
 * @returns {number} milliseconds since the epoch; 0 while nothing has been heard
 */
export function storeTime(clock, at) {
  if (clock.samples.length === 0) return 0;
  const best = clock.samples.reduce((least, sample) => (sample.roundTrip < least.roundTrip ? sample : least));
  return at + best.ahead;
}
