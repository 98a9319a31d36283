import { isolated } from "../words.js";
import { nameOf, standingOf } from "./view.js";

/** @typedef {import("./frames.js").Seat} Seat */
/** @typedef {import("./frames.js").TableFrame} TableFrame */
/** @typedef {import("./view.js").View} View */
/** What is to be said, and on which topic. @typedef {readonly [words: string, topic: string]} News */

/**
 * Who sat down, whose seat is free, and who took another name. Names tell who is who: a name is at a table once, and seats
 * go round from race to race.
 * @param {TableFrame} before
 * @param {TableFrame} after
 * @returns {News[]}
 */
export function seatNews(before, after) {
  const [had, has] = [othersIn(before), othersIn(after)];
  const gone = had.filter(({ name }) => !hasName(after, name));
  const came = has.filter(({ name }) => !hasName(before, name));
  const renamed = came.filter(({ seat }) => gone.some((one) => one.seat === seat));
  const isRenamed = (/** @type {Seat} */ one) => renamed.some(({ seat }) => seat === one.seat);
  return [
    ...gone.filter((one) => !isRenamed(one)).map(({ name }) => /** @type {News} */ ([goneWords(after, name), `at ${name}`])),
    ...came.map((one) => /** @type {News} */ ([isRenamed(one) ? `${isolated(nameAt(gone, one.seat))} is ${isolated(one.name)} now.` : `${isolated(one.name)} sat down.`, `at ${one.name}`])),
  ];
}

/** @param {TableFrame} after @param {string} name @returns {string} */
const goneWords = (after, name) => (after.phase === "countdown" ? `${isolated(name)} is not in this race.` : `${isolated(name)}'s seat is free.`);

/** @param {TableFrame} table @returns {(Seat & {name: string})[]} */
const othersIn = ({ seats, you }) => seats.flatMap((seat) => (seat.name === null || seat.seat === you.seat ? [] : [{ ...seat, name: seat.name }]));

/** @param {TableFrame} table @param {string} name @returns {boolean} */
const hasName = ({ seats }, name) => seats.some((seat) => seat.name === name);

/** @param {Seat[]} seats @param {number} at @returns {string} */
const nameAt = (seats, at) => seats.find(({ seat }) => seat === at)?.name ?? "";

/**
 * Which racers went away and came back, as far as the others have to wait for them.
 * @param {View} before
 * @param {TableFrame} after
 * @returns {News[]}
 */
export function awayNews(before, after) {
  if (after.phase !== "countdown" && after.phase !== "racing") return [];
  return after.seats.flatMap(({ seat, name, connected }) => {
    const had = before.table?.seats.find((one) => one.seat === seat && one.name === name);
    const waited = standingOf(before, seat)?.state === "sliding" && seat !== after.you.seat;
    if (had === undefined || !waited || had.connected === connected) return [];
    return [/** @type {News} */ ([connected === false ? `${nameOf(before, seat)} is away.` : `${nameOf(before, seat)} is back.`, `away ${seat}`])];
  });
}
