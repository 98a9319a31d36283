import { boardOfValues } from "../engine/board.js";
import { felt, ponged, storeTime, told, UNKNOWN_CLOCK } from "./clock.js";
import { hostNews, offerNews } from "./news.js";
import { boardCame, disconnected, forgotten, noSlides, pressed, pump, slideRefused } from "./slides.js";
import { maySlide, NOTHING_HEARD } from "./view.js";

/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Direction} Direction */
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
 *   | {kind: "opened", at: number} | {kind: "closed", why: "lost" | "moved" | "gone" | "refused", at: number}
 *   | {kind: "key", direction: Direction, at: number} | {kind: "ask", frame: Ask, at: number}
 *   | {kind: "tick", at: number} | {kind: "say", text: string, at: number} | {kind: "dismiss", serial: number, at: number}} Event
 */

/** For how long something asked before a break is still meant. */
const STILL_MEANT_MS = 15_000;
/** How many toasts are kept. */
const TOASTS = 4;
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
  return frames.length === 0 ? view : { ...view, slides, out: [...view.out, ...frames] };
}

/** @param {View} view @param {Event} event @returns {View} */
function happened(view, event) {
  switch (event.kind) {
    case "frame": return received(view, event.frame, event.at);
    case "opened": return { ...view, line: "open", heard: NOTHING_HEARD, clock: UNKNOWN_CLOCK };
    case "closed": return closed(view, event.why);
    case "key": return maySlide(view, event.at) ? { ...view, slides: pressed(view.slides, event.direction) } : view;
    case "ask": return asked(view, event.frame, event.at);
    case "say": return said(view, event.text);
    case "dismiss": return { ...view, toasts: view.toasts.filter(({ serial }) => serial !== event.serial) };
    case "tick": return view;
  }
}

/** @param {View} view @param {"lost" | "moved" | "gone" | "refused"} why @returns {View} */
function closed(view, why) {
  const slides = disconnected(why === "lost" ? view.slides : forgotten(view.slides));
  const line = why === "lost" ? (view.table === null ? "connecting" : "reconnecting") : why;
  return { ...view, line, slides, pending: why === "lost" ? view.pending : [] };
}

/** @param {View} view @param {Ask} frame @param {number} at @returns {View} */
function asked(view, frame, at) {
  const serial = view.serial + 1;
  const id = `a${serial}`;
  const out = view.line === "open" && view.heard.table ? [...view.out, { ...frame, id }] : view.out;
  return { ...view, serial, out, freed: frame.type === "sit" ? null : view.freed, pending: [...view.pending, { id, frame, at }] };
}

/** @param {View} view @param {string} text @returns {View} the same words are not said twice at once */
function said(view, text) {
  const serial = view.serial + 1;
  const others = view.toasts.filter((toast) => toast.text !== text);
  return { ...view, serial, toasts: [...others, { serial, text }].slice(-TOASTS) };
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
    case "done": return answered(view, frame.re);
    case "pong": return { ...view, clock: ponged(view.clock, { t: frame.t, now: frame.now, at }) };
    case "moved": return { ...view, line: "moved", slides: forgotten(view.slides) };
    case "freed": return { ...view, freed: frame.why };
    default: return view;
  }
}

/** @param {View} view @param {TableFrame} frame @param {number} at @returns {View} */
function tableCame(view, frame, at) {
  if (view.heard.table && view.table !== null && frame.version < view.table.version) return view;
  const clock = told(view.clock, { now: frame.now, at });
  const freed = frame.you.seat === null ? view.freed : null;
  const heard = followed({ ...view, table: frame, clock, freed, heard: { ...view.heard, table: true } });
  return view.heard.table ? newsSaid(heard, hostNews(view, frame)) : askedAgain(heard, at);
}

/** @param {View} view @param {string | null} words @returns {View} */
const newsSaid = (view, words) => (words === null ? view : said(view, words));

/** @param {View} view @returns {View} keys of a race that the table has left are not carried into the next */
function followed(view) {
  const race = view.table?.race ?? null;
  if (race === null || view.board === null || view.board.race >= race.number) return view;
  return { ...view, board: null, reveal: null, slides: { ...forgotten(view.slides), open: false } };
}

/** @param {View} view @param {number} at @returns {View} what was asked before a break is sent again, while still meant */
function askedAgain(view, at) {
  const pending = view.pending.filter((one) => at - one.at < STILL_MEANT_MS);
  return { ...view, pending, out: [...view.out, ...pending.map(({ id, frame }) => ({ ...frame, id }))] };
}

/** @param {View} view @param {RaceFrame} frame @returns {View} */
function raceCame(view, frame) {
  const had = view.race;
  const older = had !== null && (frame.race < had.race || (frame.race === had.race && frame.version < had.version));
  if (older && view.heard.race) return view;
  const race = newsSaid({ ...view, race: frame, heard: { ...view.heard, race: true } }, offerNews(view, frame));
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
  return { ...view, board: frame, clock, slides: frame.stuck ? forgotten(slides) : slides };
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
  if (frame.of !== "slide") return SHOWN_OTHERWISE.has(frame.code) ? heard : said(heard, frame.message);
  const slides = slideRefused(heard.slides, { re: frame.re ?? null, code: frame.code, at });
  return PLAIN_TO_SEE.has(frame.code) ? { ...heard, slides } : said({ ...heard, slides }, frame.message);
}

/** @param {View} view @param {string | null} re @returns {View} */
const answered = (view, re) => ({ ...view, pending: view.pending.filter(({ id }) => id !== re) });

/**
 * The store's time as the page knows it.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {number}
 */
export const timeOf = (view, at) => storeTime(view.clock, at);
