/** @typedef {import("../race/frames.js").Reason} Reason */
/** @typedef {import("../race/frames.js").Verdict} Verdict */
/** How a racer stands when a race is judged. @typedef {{readonly seat: number, readonly score: number, readonly stuck: boolean, readonly out: boolean}} Standing */
/**
 * What may end a race besides the standings: who has just made the target, whether the deadline has passed, and who has
 * agreed to the offer that stands.
 * @typedef {{readonly madeTarget?: number | null, readonly timeIsUp?: boolean, readonly agreed?: readonly number[]}} Circumstances
 */

/**
 * Judges a race after one event, by the six rules in their order (docs/rules.md §4).
 * @param {readonly Standing[]} racers
 * @param {Circumstances} [circumstances]
 * @returns {Verdict | null} null where the race goes on
 */
export function judge(racers, { madeTarget = null, timeIsUp = false, agreed = [] } = {}) {
  if (madeTarget !== null) return won(madeTarget, "TARGET");
  const inRace = racers.filter(({ out }) => !out);
  if (inRace.length === 1) return won(inRace[0].seat, "LAST_IN_RACE");
  const sliding = inRace.filter(({ stuck }) => !stuck);
  if (sliding.length === 0) return highest(inRace, "ALL_STUCK");
  if (sliding.length === 1 && outscores(sliding[0], inRace)) return won(sliding[0].seat, "OUTSCORED");
  if (timeIsUp) return highest(inRace, "TIME_UP");
  const allAgreed = inRace.every(({ seat }) => agreed.includes(seat));
  return allAgreed ? { winner: null, tied: inRace.map(({ seat }) => seat), reason: "AGREED" } : null;
}

/** @param {number} winner @param {Reason} reason @returns {Verdict} */
const won = (winner, reason) => ({ winner, tied: [], reason });

/** @param {Standing} racer @param {readonly Standing[]} others @returns {boolean} */
const outscores = (racer, others) => others.every((other) => other === racer || racer.score > other.score);

/** @param {readonly Standing[]} racers @param {Reason} reason @returns {Verdict} a shared score is a tie */
function highest(racers, reason) {
  const best = Math.max(...racers.map(({ score }) => score));
  const seats = racers.filter(({ score }) => score === best).map(({ seat }) => seat);
  return seats.length === 1 ? won(seats[0], reason) : { winner: null, tied: seats, reason };
}
