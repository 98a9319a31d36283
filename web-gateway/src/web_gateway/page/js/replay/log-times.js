import { exactTime, nameAt } from "./words.js";

/** @typedef {import("./answer.js").Replay} Replay */
/** @typedef {import("./log.js").Entry} Entry */

/** Who leaves may do so before the start. */
const EARLY = ["resigned", "left_behind"];

/**
 * What is wrong with the times of a log: each entry must come after the one before it, from the start on and before the
 * deadline, and the race ends with the last one.
 * @param {Replay} replay
 * @param {readonly Entry[]} log
 * @returns {string | null} null where nothing is
 */
export function wrongTime(replay, log) {
  const back = log.findIndex((entry, at) => at > 0 && entry.ms < log[at - 1].ms);
  if (back > 0) return `${entryName(replay, log[back])} comes ${exactTime(log[back - 1].ms - log[back].ms)} before ${lowered(entryName(replay, log[back - 1]))}, which the log has first.`;
  const outside = log.find((entry) => isOutside(replay, entry));
  if (outside !== undefined) return `${entryName(replay, outside)} was ${outside.ms < 0 ? `${exactTime(-outside.ms)} before the start` : `at ${exactTime(outside.ms)}, which is not in the race's time`}.`;
  const end = replay.ended_at - replay.starts_at;
  const last = log.at(-1);
  if (last === undefined) return "Nothing happened in it, so it cannot have ended.";
  return last.ms === end ? null : `The race ended at ${exactTime(end)}, and ${lowered(entryName(replay, last))} was at ${exactTime(last.ms)}.`;
}

/** @param {Replay} replay @param {Entry} entry @returns {boolean} */
function isOutside({ rules }, { type, ms }) {
  const deadline = rules.clock_s === null ? Infinity : rules.clock_s * 1000;
  if (type === "time_up") return ms !== deadline;
  // An offer that stood until the deadline has lapsed by then.
  if (ms >= deadline) return !(type === "lapsed" && ms === deadline);
  return ms < 0 && !EARLY.includes(type);
}

/** @param {Replay} replay @param {Entry} entry @returns {string} */
function entryName(replay, entry) {
  const name = nameAt(replay, entry.seat);
  switch (entry.type) {
    case "slide": return `${name}'s slide ${entry.n}`;
    case "resigned": return `${name}'s resignation`;
    case "left_behind": return `${name}'s being left behind`;
    case "offered": return `${name}'s offer of a draw`;
    case "agreed": return `${name}'s agreeing to a draw`;
    case "declined": return `${name}'s declining a draw`;
    case "lapsed": return "The end of an offer of a draw";
    case "time_up": return "The end of the time";
  }
}

/** @param {string} words @returns {string} */
const lowered = (words) => words.replace(/^The /, "the ");
