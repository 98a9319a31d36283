/** @typedef {import("./view.js").Freed} Freed */

/** @type {Readonly<Record<Freed, string>>} */
const WORDS = {
  host: "The host has freed your seat.",
  away: "You were away for too long, so your seat was freed.",
  not_dealt: "The next race began while you were away, so your seat was freed. Your tally is kept.",
  absent: "While you were away your seat was freed.",
  left: "You have left the table.",
};

/**
 * Why one has no seat any more.
 * @param {Freed} why
 * @returns {string}
 */
export const freedWords = (why) => WORDS[why];

/**
 * Words for one who has no seat, after why it is so where that has to be said.
 * @param {Freed | null} why
 * @param {string} words
 * @returns {string}
 */
export const afterFreed = (why, words) => (why === null ? words : `${freedWords(why)} ${words}`);
