/** @typedef {import("./race/frames.js").Reason} Reason */
/** @typedef {import("./race/frames.js").Rules} Rules */

/**
 * A number as it is read: 7,284.
 * @param {number} number
 * @returns {string}
 */
export const grouped = (number) => String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");

/**
 * A time left or gone as minutes and seconds: 1:52.
 * @param {number} ms
 * @returns {string}
 */
export function minutes(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * What a race's rules are called.
 * @param {Rules} rules
 * @returns {string}
 */
export function rulesName({ target, clock_s: clock }) {
  if (target !== null) return `First to ${target}`;
  return clock === null ? "Endless" : "Against the clock";
}

/**
 * What a race's rules mean, in a line.
 * @param {Rules} rules
 * @returns {string}
 */
export function rulesLine({ target, clock_s: clock }) {
  const time = clock === null ? "" : clockName(clock);
  if (target !== null && clock !== null) return `First to ${target} wins; after ${time} the highest score does`;
  if (target !== null) return `The first to make a ${target} wins`;
  return clock === null ? "Play until you are stuck; the highest score wins" : `The highest score after ${time} wins`;
}

/**
 * What a race is won by, where a line is too long.
 * @param {Rules} rules
 * @returns {string}
 */
export const goalWords = ({ target }) => (target === null ? "Highest score" : `First to ${target}`);

/**
 * A clock's length.
 * @param {number} seconds
 * @returns {string}
 */
export function clockName(seconds) {
  if (seconds % 60 !== 0) return `${seconds} seconds`;
  return seconds === 60 ? "1 minute" : `${seconds / 60} minutes`;
}

/** @type {Readonly<Record<Reason, (target: number | null) => string>>} */
const REASONS = {
  TARGET: (target) => `made the ${target ?? "target"} first`,
  LAST_IN_RACE: () => "last one in the race",
  ALL_STUCK: () => "everyone is stuck; highest score",
  OUTSCORED: () => "nobody left can catch up",
  TIME_UP: () => "time is up; highest score",
  AGREED: () => "everyone agreed to a draw",
};

/**
 * Why a race ended.
 * @param {Reason} reason
 * @param {number | null} target
 * @returns {string}
 */
export const reasonWords = (reason, target) => REASONS[reason]?.(target) ?? "the race is over";

/**
 * Words as a sentence: with a full stop, unless they end with a mark of their own.
 * @param {string} words
 * @returns {string}
 */
export const stopped = (words) => (/[.!?]$/.test(words) ? words : `${words}.`);

/**
 * Names in a row: Ann, Ben and Cleo.
 * @param {readonly string[]} names
 * @returns {string}
 */
export function listed(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/** Letters of scripts that run from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\ud802\ud803\ud83a\ud83b]/;

/**
 * A name as it stands in a sentence: one that runs from right to left turns nothing around it.
 * @param {string} name
 * @returns {string}
 */
export const isolated = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

/**
 * A tally with its halves: 2½.
 * @param {number} tally
 * @returns {string}
 */
export function tallyWords(tally) {
  const whole = Math.floor(tally);
  const half = tally - whole >= 0.5 ? "½" : "";
  return whole === 0 && half !== "" ? half : `${whole}${half}`;
}
