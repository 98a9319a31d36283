import { valueOf } from "../engine/board.js";
import { grouped, isolated, listed, reasonWords } from "../words.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./answer.js").Replay} Replay */

/**
 * A number of things: 1 slide, 2 slides.
 * @param {number} count
 * @param {string} word
 * @returns {string}
 */
export const counted = (count, word) => `${grouped(count)} ${word}${count === 1 ? "" : "s"}`;

/**
 * A moment of a race as it is read from a clock: 1:05, or −0:02 in the countdown.
 * @param {number} ms
 * @returns {string}
 */
export function clockTime(ms) {
  const seconds = Math.floor(Math.abs(ms) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, "0");
  const read = hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, "0")}:${tail}`;
  return ms <= -1000 ? `−${read}` : read;
}

/**
 * A moment of a race as it is said: 1 minute 5 seconds.
 * @param {number} ms
 * @returns {string}
 */
export function spokenTime(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const rest = counted(seconds % 60, "second");
  return minutes === 0 ? rest : `${counted(minutes, "minute")} ${rest}`;
}

/**
 * A time as exact as it matters: 12.3 s, 45 ms.
 * @param {number} ms
 * @returns {string}
 */
export const exactTime = (ms) => (Math.abs(ms) < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

/**
 * The name at a seat, as it stands in a sentence.
 * @param {Pick<Replay, "seats">} replay
 * @param {number | null} seat
 * @returns {string}
 */
export const nameAt = ({ seats }, seat) => isolated(seats.find((one) => one.seat === seat)?.name ?? "Nobody");

/**
 * Who won a race, or that it was a draw.
 * @param {Pick<Replay, "seats">} replay
 * @param {Pick<Replay["verdict"], "winner" | "tied">} verdict
 * @returns {string}
 */
export function winnerWords(replay, { winner, tied }) {
  return winner === null ? `A draw between ${listed(tied.map((seat) => nameAt(replay, seat)))}` : `${nameAt(replay, winner)} won`;
}

/**
 * How a race ended, in a sentence.
 * @param {Replay} replay
 * @param {Replay["verdict"]} [verdict]
 * @returns {string}
 */
export function verdictSentence(replay, verdict = replay.verdict) {
  return `${winnerWords(replay, verdict)}: ${reasonWords(verdict.reason, replay.rules.target)}.`;
}

/**
 * What a mark says.
 * @param {Replay} replay
 * @param {Mark} mark
 * @returns {string}
 */
export function markWords(replay, { kind, seat, by, exponent }) {
  const name = nameAt(replay, seat);
  switch (kind) {
    case "resigned": return `${name} resigned`;
    case "left_behind": return `${name} was raced on without`;
    case "offered": return `${name} offered a draw`;
    case "agreed": return `${name} agreed to a draw`;
    case "declined": return `${name} declined ${nameAt(replay, by)}'s offer of a draw`;
    case "lapsed": return `${nameAt(replay, by)}'s offer of a draw lapsed`;
    case "slid_off": return `${name} slid on, so ${nameAt(replay, by)}'s offer of a draw is off`;
    case "time_up": return "Time is up";
    case "stuck": return `${name} is stuck`;
    case "first": return `${name} has the first ${valueOf(exponent)}`;
    case "verdict": return verdictSentence(replay);
  }
}
