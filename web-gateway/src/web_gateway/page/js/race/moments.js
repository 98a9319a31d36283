import { racingSeat, raceOf, screenOf, timeOf, verdictOf } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** What is known at a local, monotonic time in milliseconds. @typedef {{readonly view: View, readonly at: number}} Instant */
/**
 * Something that is worth a word to those who do not see it, or a sound.
 * @typedef {{kind: "count", seconds: number} | {kind: "go"} | {kind: "left", seconds: number} | {kind: "sat"} | {kind: "offer"}
 *   | {kind: "biggest", seat: number, biggest: number} | {kind: "stuck"} | {kind: "over"}} Moment
 */

/** At how many seconds left it is said or heard, most first. */
const LEFT_S = [60, 30, 10, 3, 2, 1];
/** Below this a rival's biggest tile is no news. */
const BIG = 512;

/**
 * What has come about between two instants.
 * @param {Instant} before
 * @param {Instant} after
 * @returns {Moment[]}
 */
export function momentsBetween(before, after) {
  const [was, is] = [screenOf(before.view, before.at), screenOf(after.view, after.at)];
  if (is === "gathering") return was === "gathering" && friends(after.view) > friends(before.view) ? [{ kind: "sat" }] : [];
  if (is === "countdown") return counted(secondsToStart(before), secondsToStart(after));
  if (is === "finished") return verdictOf(after.view) !== null && isUndecided(before.view, after.view) ? [{ kind: "over" }] : [];
  if (is !== "racing") return [];
  return [...(was === "countdown" ? [/** @type {Moment} */ ({ kind: "go" })] : []), ...leftBetween(before, after), ...stuckBetween(before.view, after.view), ...raceMoments(before.view, after.view)];
}

/** @param {View} view @returns {number} */
const friends = ({ table }) => table?.seats.filter(({ name, seat }) => name !== null && seat !== table.you.seat).length ?? 0;

/** @param {number | null} before @param {number | null} after @returns {Moment[]} */
const counted = (before, after) => (after !== null && after > 0 && before !== after ? [{ kind: "count", seconds: after }] : []);

/** @param {Instant} instant @returns {number | null} */
function secondsToStart({ view, at }) {
  const startsAt = view.table?.race?.starts_at ?? null;
  return startsAt === null || screenOf(view, at) !== "countdown" ? null : Math.ceil((startsAt - timeOf(view, at)) / 1000);
}

/** @param {View} before @param {View} after @returns {boolean} whether the race that is over was seen running */
const isUndecided = (before, after) => before.table?.race?.number === after.table?.race?.number && verdictOf(before) === null && raceOf(before) !== null;

/** @param {Instant} before @param {Instant} after @returns {Moment[]} */
function leftBetween(before, after) {
  const deadline = after.view.table?.race?.deadline ?? null;
  if (deadline === null || screenOf(before.view, before.at) !== "racing") return [];
  const [had, has] = [before, after].map(({ view, at }) => (deadline - timeOf(view, at)) / 1000);
  const passed = LEFT_S.filter((seconds) => had > seconds && has <= seconds);
  return passed.slice(-1).map((seconds) => ({ kind: "left", seconds }));
}

/** @param {View} before @param {View} after @returns {Moment[]} */
const stuckBetween = ({ board: before }, { board: after }) => (after?.stuck === true && before?.race === after.race && !before.stuck ? [{ kind: "stuck" }] : []);

/** @param {View} before @param {View} after @returns {Moment[]} */
function raceMoments(before, after) {
  const [had, has] = [raceOf(before), raceOf(after)];
  if (had === null || has === null || had === has || had.race !== has.race) return [];
  const you = racingSeat(after);
  const offered = has.offer !== null && had.offer === null && has.offer.by !== you;
  const grown = has.standings.filter(({ seat, biggest }) => {
    const standing = had.standings.find((one) => one.seat === seat);
    return seat !== you && biggest >= BIG && standing !== undefined && standing.biggest < biggest;
  });
  return [...grown.map(({ seat, biggest }) => /** @type {Moment} */ ({ kind: "biggest", seat, biggest })), ...(offered ? [/** @type {Moment} */ ({ kind: "offer" })] : [])];
}
