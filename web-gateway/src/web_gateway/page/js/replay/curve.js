import { positionAt, racerAt } from "./timeline.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** A racer's score through a race: how far in time, and how high by the best score of all, each 0 to 1. @typedef {readonly (readonly [across: number, up: number])[]} Curve */

/** How many moments make a curve; more could not be told apart on a screen. */
const MOMENTS = 240;

/**
 * Every racer's score through a race, in the order of its lanes.
 * @param {Timeline} timeline
 * @returns {Curve[]}
 */
export function curvesOf(timeline) {
  const { lanes, log, from, to } = timeline;
  const best = Math.max(1, ...lanes.map((lane) => racerAt(lane, log.length).score));
  const moments = Array.from({ length: MOMENTS + 1 }, (_, index) => index / MOMENTS);
  const positions = moments.map((across) => positionAt(timeline, from + across * (to - from)));
  return lanes.map((lane) => moments.map((across, index) => [across, racerAt(lane, positions[index]).score / best]));
}
