import { biggest, valueOf } from "../engine/board.js";
import { fromHex } from "../engine/bytes.js";
import { commitmentOf } from "../engine/draws.js";
import { tilesOf } from "../race/own-tiles.js";
import { grouped, isolated } from "../words.js";
import { Course } from "./course.js";
import { wrongTime } from "./log-times.js";
import { logOf } from "./log.js";
import { Watcher } from "./peace.js";
import { keptDraws, Track } from "./track.js";
import { clockTime, counted, nameAt, verdictSentence } from "./words.js";

/** @typedef {import("../race/commitments.js").Dealt} Dealt */
/** @typedef {import("../race/commitments.js").Shown} Shown */
/** @typedef {import("../race/own-tiles.js").Seen} Seen */
/** @typedef {import("./track.js").Draws} Draws */
/** @typedef {import("../race/frames.js").Verdict} Verdict */
/** @typedef {import("./answer.js").Replay} Replay */
/** @typedef {import("./log.js").Entry} Entry */
/**
 * One thing that was checked: what, whether it holds (null where there is nothing here to compare with), and what was
 * found: counts where it holds, and exactly what differs where it does not.
 * @typedef {{readonly what: string, readonly holds: boolean | null, readonly found: string}} Check
 */

/** How many slides are recomputed at a stretch: a few milliseconds' work on a slow phone. */
const SLICE = 120;

/**
 * Recomputes a race from nothing but its seed, its rules and its log (docs/rules.md §2 and §4), and compares.
 * @param {Replay} replay
 * @param {Shown | null} shown what this browser was shown while the race ran and at its end, as far as it was there
 * @returns {Generator<Check | null, void>} the checks as they are done, and null where whoever runs it may take a break
 */
export function* verify(replay, shown) {
  yield commitmentCheck(replay);
  yield dealCheck(replay, shown?.commitment ?? null);
  yield dealtCheck(replay, shown?.dealt ?? null);
  const log = logOf(replay);
  yield timesCheck(replay, log);
  /** @type {Map<number, Track>} */
  const tracks = new Map();
  const draws = keptDraws(fromHex(replay.seed));
  for (const racer of replay.seats) {
    const track = new Track(draws);
    tracks.set(racer.seat, track);
    yield* slidden(track, racer.slides);
    yield boardCheck(racer, track);
  }
  yield drawsCheck(draws, Math.max(...replay.seats.map(({ slides }) => slides.length)));
  if (shown?.own !== undefined) yield ownCheck(replay, tracks, draws, shown.own);
  yield finalsCheck(replay, tracks, shown);
  yield* courseChecks(replay, log, tracks);
}

/** @param {Replay} replay @returns {Check} */
function commitmentCheck({ seed, commitment }) {
  const made = commitmentOf(fromHex(seed));
  const holds = made === commitment.toLowerCase();
  return { what: "The seed fits the commitment", holds, found: holds ? `Its SHA-256 is ${short(made)}.` : `The SHA-256 of the seed is ${short(made)}, and not ${short(commitment)}.` };
}

/** @param {Replay} replay @param {string | null} dealt @returns {Check} */
function dealCheck({ commitment }, dealt) {
  const what = "The commitment is the one shown before the race";
  if (dealt === null) return { what, holds: null, found: "This browser did not see the race being dealt. Compare it with a friend who raced." };
  const holds = dealt === commitment.toLowerCase();
  return { what, holds, found: holds ? "This browser was shown the same one when the race was dealt." : `This browser was shown ${short(dealt)} when the race was dealt, and now ${short(commitment)}.` };
}

/** @param {Replay} replay @param {Dealt | null} dealt @returns {Check} */
function dealtCheck({ rules, seats }, dealt) {
  const what = "Rules and racers are those of the deal";
  if (dealt === null) return { what, holds: null, found: "This browser did not see the race being dealt." };
  const [then, now] = [dealtWords(dealt), dealtWords({ rules, racers: seats })];
  return { what, holds: then === now, found: then === now ? `${then}.` : `This browser was shown ${then} when the race was dealt, and now ${now}.` };
}

/** @param {Dealt} dealt @returns {string} */
function dealtWords({ rules: { target, clock_s }, racers }) {
  const seated = racers.map(({ seat, name }) => `${isolated(name)} in seat ${seat}`).join(", ");
  return `${target === null ? "No target" : `Target ${target}`}, ${clock_s === null ? "no clock" : `${clock_s} s`}, ${seated}`;
}

/** @param {Replay} replay @param {readonly Entry[]} log @returns {Check} */
function timesCheck(replay, log) {
  const wrong = wrongTime(replay, log);
  const end = replay.ended_at - replay.starts_at;
  const found = `${counted(replay.order.length, "slide")} and ${counted(replay.events.length, "event")}, ${end < 0 ? "before the start" : `all within ${clockTime(end)}`}.`;
  return { what: "All happened in order and in time", holds: wrong === null, found: wrong ?? found };
}

/** @param {Track} track @param {Replay["seats"][number]["slides"]} slides @returns {Generator<null, void>} */
function* slidden(track, slides) {
  for (const [, direction] of slides) {
    track.slide(direction);
    if (track.slides % SLICE === 0) yield null;
  }
}

/** @param {Replay["seats"][number]} racer @param {Track} track @returns {Check} */
function boardCheck({ name, slides }, track) {
  const who = isolated(name);
  const what = `${who}'s board`;
  const [useless] = track.useless;
  if (useless !== undefined) return { what, holds: false, found: `${who}'s slide ${grouped(useless)} (${slides[useless - 1][1]}) changes nothing.` };
  const { score, board } = track.last;
  const each = slides.length === 1 ? "which changed the board" : "each of which changed the board";
  const made = slides.length === 0 ? "No slide" : `${counted(slides.length, "slide")}, ${each}`;
  return { what, holds: true, found: `${made}; ${counted(score, "point")}, biggest tile ${valueOf(biggest(board))}.` };
}

/** @param {(k: number) => import("../engine/draws.js").Draw} draws @param {number} slides the most that one racer made @returns {Check} */
function drawsCheck(draws, slides) {
  const fours = Array.from({ length: slides + 2 }, (_, k) => draws(k)).filter(({ exponent }) => exponent === 2).length;
  const twos = slides + 2 - fours;
  return { what: "Every new tile comes from the seed", holds: true, found: `${counted(slides + 2, "draw")}, the same for everyone: ${counted(twos, "two")} and ${counted(fours, "four")}.` };
}

/** @param {Replay} replay @param {ReadonlyMap<number, Track>} tracks @param {Draws} draws @param {Seen} own @returns {Check} */
function ownCheck({ seats }, tracks, draws, own) {
  const what = "The tiles that came to you are the seed's";
  const slides = seats.find(({ seat }) => seat === own.seat)?.slides ?? [];
  for (const { n, ...shown } of tilesOf(own)) {
    const made = tracks.get(own.seat)?.tileOf(n, slides[n - 1]?.[1], draws) ?? null;
    if (made === null) return { what, holds: false, found: `This browser was shown your slide ${grouped(n)}, which is not in the log.` };
    if (made.cell === shown.cell && made.value === shown.value) continue;
    return { what, holds: false, found: `After your slide ${grouped(n)} this browser was shown ${tileAt(shown)}, and the seed makes ${tileAt(made)}.` };
  }
  return { what, holds: true, found: `${counted(own.tiles.length, "tile")}, as this browser was shown them while you raced.` };
}

/** @param {{readonly cell: number, readonly value: number}} tile @returns {string} */
const tileAt = ({ cell, value }) => `${tileWords(value)} in ${placeWords(cell)}`;

/** @param {number} cell @returns {string} */
const placeWords = (cell) => `row ${(cell >> 2) + 1}, column ${(cell % 4) + 1}`;

/** @param {Replay} replay @param {ReadonlyMap<number, Track>} tracks @param {Shown | null} shown @returns {Check} */
function finalsCheck(replay, tracks, shown) {
  const what = "The boards are those shown at the end";
  if (shown === null || shown.finals.length === 0) return { what, holds: null, found: "This browser was not there at the end, so it has no boards to compare with." };
  const wrong = shown.finals.map(({ seat, cells }) => differing(replay, tracks.get(seat), { seat, cells })).find((words) => words !== null);
  return { what, holds: wrong === undefined, found: wrong ?? `${counted(shown.finals.length, "board")}, cell by cell.` };
}

/** @param {Replay} replay @param {Track | undefined} track @param {Shown["finals"][number]} final @returns {string | null} */
function differing(replay, track, { seat, cells }) {
  if (track === undefined) return `At the end this browser was shown a board of seat ${seat}, which is not here.`;
  const { board } = track.last;
  const cell = cells.findIndex((value, at) => value !== valueOf(board[at]));
  if (cell < 0) return null;
  return `${nameAt(replay, seat)}'s board has ${tileWords(valueOf(board[cell]))} in ${placeWords(cell)}; at the end this browser was shown ${tileWords(cells[cell])}.`;
}

/** @param {number} value @returns {string} */
const tileWords = (value) => (value === 0 ? "nothing" : `a ${value}`);

/** @param {Replay} replay @param {readonly Entry[]} log @param {ReadonlyMap<number, Track>} tracks @returns {Generator<Check | null, void>} */
function* courseChecks(replay, log, tracks) {
  const course = new Course(replay, tracks);
  const watcher = new Watcher(replay);
  /** @type {string | null} */
  let wrong = null;
  let over = log.length;
  for (const [at, entry] of log.entries()) {
    const before = course.offer;
    wrong ??= watcher.wrongWith(entry, course);
    if (course.take(entry).verdict !== undefined) over = at + 1;
    watcher.saw(before, entry, course);
    if (at % SLICE === SLICE - 1) yield null;
  }
  yield { what: "Everyone kept to the rules", holds: wrong === null, found: wrong === null ? eventWords(replay) : `${wrong}.` };
  yield verdictCheck(replay, course.verdict, log.length - over);
}

/** @param {Replay} replay @returns {string} */
function eventWords({ events }) {
  const offers = events.filter(({ type }) => type === "offered").length;
  const left = events.filter(({ type }) => type === "resigned" || type === "left_behind").length;
  return `${left === 0 ? "Nobody" : left} left the race, and ${offers === 0 ? "no draw was offered" : `a draw was offered ${offers === 1 ? "once" : `${offers} times`}`}.`;
}

/** @param {Replay} replay @param {Verdict | null} judged @param {number} after how many entries follow its end @returns {Check} */
function verdictCheck(replay, judged, after) {
  const what = "The verdict follows";
  if (judged === null) return { what, holds: false, found: `By the log the race is not over. The server says: ${verdictSentence(replay)}` };
  if (!isSame(judged, replay.verdict)) return { what, holds: false, found: `By the log: ${verdictSentence(replay, judged)} The server says: ${verdictSentence(replay)}` };
  if (after > 0) return { what, holds: false, found: `The race was over, and yet ${after === 1 ? "something follows" : `${grouped(after)} things follow`} in the log.` };
  return { what, holds: true, found: verdictSentence(replay) };
}

/** @param {Verdict} one @param {Verdict} other @returns {boolean} */
function isSame(one, other) {
  return one.reason === other.reason && one.winner === other.winner && one.tied.join() === [...other.tied].sort().join();
}

/** @param {string} hex @returns {string} */
const short = (hex) => `${hex.slice(0, 8)}…${hex.slice(-8)}`;
