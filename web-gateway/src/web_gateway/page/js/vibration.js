/** Milliseconds to shake, to rest, to shake and so on. @typedef {readonly number[]} Pattern */

/**
 * A slide is felt where tiles merged, the longer the bigger the tile.
 * @param {number} exponent of the biggest tile that was made; 0 for none
 * @returns {Pattern}
 */
export const slidePattern = (exponent) => (exponent === 0 ? [] : [6 + 2 * exponent]);

/** All other patterns. */
export const PATTERNS = {
  count: [15],
  won: [30, 50, 30, 50, 80],
  stuck: [80],
  raceWon: [30, 50, 30, 50, 120],
  raceLost: [80, 60, 40],
  friendArrived: [20, 60, 20],
};

/**
 * Shakes the device, where it can.
 * @param {Pattern} pattern
 */
export function vibrate(pattern) {
  // Before the page was touched the browser refuses, and says so on its console.
  if (pattern.length > 0 && navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.([...pattern]);
}
