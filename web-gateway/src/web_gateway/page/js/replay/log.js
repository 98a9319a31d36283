/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("./answer.js").EventType} EventType */
/** @typedef {import("./answer.js").Replay} Replay */
/** A slide in a race's log; `n` is its number among the racer's own, from 1. @typedef {{readonly type: "slide", readonly ms: number, readonly seat: number, readonly n: number, readonly direction: Direction}} SlideEntry */
/** @typedef {SlideEntry | {readonly type: EventType, readonly ms: number, readonly seat: number | null}} Entry */

/**
 * A race's log: slides and events in the one order that they were committed in.
 * @param {Replay} replay
 * @returns {Entry[]}
 */
export function logOf({ seats, order, events }) {
  /** @type {Entry[]} */
  const log = [];
  const racers = new Map(seats.map((racer) => [racer.seat, { slides: racer.slides, made: 0 }]));
  let event = 0;
  for (let count = 0; count <= order.length; count += 1) {
    while (events[event]?.after === count) log.push(events[event++]);
    if (count < order.length) log.push(slideOf(racers, order[count]));
  }
  return log;
}

/** @param {Map<number, {slides: Replay["seats"][number]["slides"], made: number}>} racers @param {number} seat @returns {SlideEntry} */
function slideOf(racers, seat) {
  const racer = /** @type {NonNullable<ReturnType<typeof racers.get>>} */ (racers.get(seat));
  const [ms, direction] = racer.slides[racer.made];
  racer.made += 1;
  return { type: "slide", ms, seat, n: racer.made, direction };
}
