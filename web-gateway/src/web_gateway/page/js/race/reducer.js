import { boardOfValues } from "../engine/board.js";
import { asked, askedAgain, lapsed } from "./asks.js";
import { awaitedAfter, heldAt } from "./awaited.js";
import { elsewhere, felt, ponged, told } from "./clock.js";
import { raceNews, tableNews } from "./news.js";
import { ownOffer } from "./offer-wait.js";
import { boardCame, disconnected, forgotten, noSlides, pressed, pump, slideRefused } from "./slides.js";
import { dismissed, newsGone, newsSaid, refusalGone, refusalSaid, said } from "./toasts.js";
import { FIRST_VIEW, maySlide, NOTHING_HEARD } from "./view.js";

/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("./connection.js").Ending} Ending */
/** @typedef {import("./frames.js").Ask} Ask */
/** @typedef {import("./frames.js").BoardFrame} BoardFrame */
/** @typedef {import("./frames.js").RaceFrame} RaceFrame */
/** @typedef {import("./frames.js").RefusedFrame} RefusedFrame */
/** @typedef {import("./frames.js").ServerFrame} ServerFrame */
/** @typedef {import("./frames.js").TableFrame} TableFrame */
/** @typedef {import("./slides.js").Slides} Slides */
/** @typedef {import("./view.js").View} View */
/**
 * What happens to the page; `at` is the local, monotonic time in milliseconds.
 * @typedef {{kind: "frame", frame: ServerFrame, at: number}
 *   | {kind: "opened", at: number} | {kind: "closed", why: Ending, wait?: number, at: number}
 *   | {kind: "looked", answers: boolean, at: number} | {kind: "network", online: boolean, at: number} | {kind: "pinged", at: number}
 *   | {kind: "key", direction: Direction, at: number} | {kind: "ask", frame: Ask, at: number}
 *   | {kind: "tick", at: number} | {kind: "later", at: number} | {kind: "say", text: string, at: number} | {kind: "dismiss", serial: number, at: number}} Event
 */

/** Refusals of slides that the page shows by itself: the board corrects, or the screen says it already. */
const PLAIN_TO_SEE = new Set([
  "SLIDE_CHANGES_NOTHING", "SLIDE_OUT_OF_ORDER", "NOT_STARTED_YET", "TOO_FAST", "RACE_OVER", "RACER_STUCK", "RACE_MOVED_ON",
]);

/** Other refusals that the screen says by itself: one sits, or the table is gone. */
const SHOWN_OTHERWISE = new Set(["ALREADY_SEATED", "TABLE_UNKNOWN"]);

/**
 * The one place where what happens changes what the page knows.
 * @param {View} before
 * @param {Event} event
 * @returns {View} with `out`, the frames to send now
 */
export function reduce(before, event) {
  const view = happened({ ...before, out: [] }, event);
  const { slides, frames } = pump(view.slides, event.at);
  const after = frames.length === 0 ? view : { ...view, slides, out: [...view.out, ...frames] };
  return { ...after, awaited: awaitedAfter(before, after, event.at) };
}

/** @param {View} view @param {Event} event @returns {View} */
function happened(view, event) {
  switch (event.kind) {
    case "frame": return received(view, event.frame, event.at);
    case "opened": return { ...view, line: "open", lost: null, heard: NOTHING_HEARD, clock: elsewhere(view.clock) };
    case "closed": return closed(view, event);
    case "looked": return view.lost === null ? view : { ...view, lost: { ...view.lost, unpassed: event.answers } };
    case "network": return { ...view, offline: !event.online };
    case "pinged": return { ...view, awaited: { ...view.awaited, ping: view.awaited.ping ?? event.at } };
    case "key": return maySlide(view, event.at) ? { ...view, slides: pressed(view.slides, event.direction) } : view;
    case "ask": return asked(view, event.frame, event.at);
    case "say": return said(view, event.text);
    case "dismiss": return dismissed(view, event.serial);
    case "later": return { ...view, later: view.hello?.build ?? null };
    case "tick": return lapsed(view, event.at);
  }
}

/** @param {View} view @param {{why: Ending, wait?: number, at: number}} ending @returns {View} */
function closed(view, { why, wait = 0, at }) {
  if (why !== "lost" && why !== "later") return { ...view, line: why, lost: null, slides: disconnected(forgotten(view.slides)), pending: [] };
  const failed = view.hello === null ? (view.lost?.failed ?? 0) + 1 : 0;
  const lost = { at: view.lost?.at ?? at, retryAt: at + wait, sentAway: why === "later", failed, unpassed: view.lost?.unpassed ?? false };
  const unheard = heldAt(view, at);
  return { ...view, line: view.table === null ? "connecting" : "reconnecting", lost, unheard, slides: disconnected(view.slides) };
}

/** @param {View} view @param {ServerFrame} frame @param {number} at @returns {View} */
function received(view, frame, at) {
  switch (frame.type) {
    case "hello": return { ...view, hello: frame, clock: told(view.clock, { now: frame.now, at }) };
    case "table": return tableCame(view, frame, at);
    case "race": return raceCame(view, frame);
    case "board": return boardFrameCame(view, frame, at);
    case "reveal": return { ...view, reveal: frame };
    case "refused": return refused(view, frame, at);
    case "done": return done(view, frame.re);
    case "pong": return { ...view, awaited: { ...view.awaited, ping: null }, clock: ponged(view.clock, { t: frame.t, now: frame.now, at }) };
    case "moved": return moved(view);
    case "freed": return { ...view, freed: frame.why };
    default: return view;
  }
}

/** @param {View} view @param {TableFrame} frame @param {number} at @returns {View} */
function tableCame(view, frame, at) {
  if (view.heard.table && view.table !== null && frame.version < view.table.version) return view;
  const clock = told(view.clock, { now: frame.now, at });
  const heard = followed({ ...view, table: frame, clock, unheard: null, ...seatOf(view, frame), heard: { ...view.heard, table: true } });
  const shown = screenOf(view) === screenOf(heard) ? heard : newsGone(heard);
  return view.heard.table ? newsSaid(shown, tableNews(view, frame)) : askedAgain(shown, at);
}

/** @param {View} view @returns {string | undefined} which screen the table has: from the countdown to the end it is one */
const screenOf = ({ table }) => (table?.phase === "countdown" ? "racing" : table?.phase);

/**
 * What one has to be told of one's seat. It may have been freed while this page was away, and nobody tells that later.
 * @param {View} view @param {TableFrame} frame @returns {Pick<View, "sat" | "freed">}
 */
function seatOf({ sat, freed, leaving, heard }, { you, race }) {
  if (you.seat !== null) return { sat: { race: race?.number ?? sat?.race ?? 0 }, freed: null };
  if (leaving) return { sat: null, freed: "left" };
  if (freed !== null || sat === null || heard.table) return { sat: null, freed };
  return { sat: null, freed: race !== null && race.number > sat.race ? "not_dealt" : "absent" };
}

/** @param {View} view @returns {View} keys of a race that the table has left are not carried into the next */
function followed(view) {
  const race = view.table?.race ?? null;
  if (race === null || view.board === null || view.board.race >= race.number) return view;
  return { ...view, board: null, reveal: null, slides: { ...forgotten(view.slides), open: false } };
}

/** @param {View} view @param {RaceFrame} frame @returns {View} */
function raceCame(view, frame) {
  const had = view.race;
  const older = had !== null && (frame.race < had.race || (frame.race === had.race && frame.version < had.version));
  if (older && view.heard.race) return view;
  const race = newsSaid({ ...view, race: frame, offered: ownOffer(view, frame), heard: { ...view.heard, race: true } }, raceNews(view, frame));
  return frame.verdict === null ? race : { ...race, slides: forgotten(race.slides) };
}

/** @param {View} view @param {BoardFrame} frame @param {number} at @returns {View} */
function boardFrameCame(view, frame, at) {
  if (frame.race < view.slides.race && view.slides.open) return view;
  const board = boardOfValues(frame.cells);
  const before = slidesOf(view, frame.race, board);
  const sending = before.unanswered.find(({ id }) => id === frame.re);
  const slides = boardCame(before, { n: frame.n, board, re: frame.re ?? null });
  const clock = sending === undefined ? view.clock : felt(view.clock, at - sending.at);
  const came = { ...view, board: frame, clock, slides: frame.stuck ? forgotten(slides) : slides };
  return sending === undefined ? came : refusalGone(came);
}

/**
 * The slides that a race's board belongs to: those under way, or none yet where the race, or its seed, is another.
 * @param {View} view @param {number} number @param {Board} board @returns {Slides}
 */
function slidesOf({ slides, table }, number, board) {
  const commitment = (table?.race?.number === number ? table.race.commitment : null) ?? slides.commitment;
  const same = slides.race === number && (slides.commitment === commitment || slides.commitment === "");
  return same ? { ...slides, commitment } : noSlides(number, commitment, board);
}

/** @param {View} view @param {RefusedFrame} frame @param {number} at @returns {View} */
function refused(view, frame, at) {
  const heard = answered(view, frame.re ?? null);
  if (frame.of === null && frame.code === "TOO_MANY_REQUESTS") return heard;
  if (frame.of !== "slide") return SHOWN_OTHERWISE.has(frame.code) ? heard : refusalSaid(heard, frame.message);
  const slides = slideRefused(heard.slides, { re: frame.re ?? null, code: frame.code, at });
  return PLAIN_TO_SEE.has(frame.code) ? { ...heard, slides } : refusalSaid({ ...heard, slides }, frame.message);
}

/** @param {View} view @param {string} re @returns {View} */
function done(view, re) {
  const frame = view.pending.find(({ id }) => id === re)?.frame;
  const heard = named(refusalGone(answered(view, re)), frame);
  if (frame?.type !== "leave") return heard;
  return { ...heard, leaving: true, sat: null, freed: heard.table?.you.seat === null ? "left" : null };
}

/** @param {View} view @param {Ask | undefined} frame @returns {View} a name that was taken is one to come back with */
const named = (view, frame) => (frame?.type === "sit" || frame?.type === "rename" ? { ...view, named: frame.name } : view);

/** @param {View} view @returns {View} another tab goes on; what is known here grows old, and is not shown when one comes back */
function moved(view) {
  const { build, cookies, later, hello, clock, offline, toasts, serial, sat } = view;
  return { ...FIRST_VIEW, build, cookies, later, hello, clock, offline, toasts, serial, sat, slides: forgotten(view.slides), line: "moved" };
}

/** @param {View} view @param {string | null} re @returns {View} */
const answered = (view, re) => ({ ...view, pending: view.pending.filter(({ id }) => id !== re) });
