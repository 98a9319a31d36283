import { EMPTY_BOARD } from "../engine/board.js";
import { isolated } from "../words.js";
import { NOTHING_AWAITED } from "./awaited.js";
import { storeTime, UNKNOWN_CLOCK } from "./clock.js";
import { noSlides } from "./slides.js";

/** @typedef {import("./awaited.js").Awaited} Awaited */
/** @typedef {import("./clock.js").Clock} Clock */
/** @typedef {import("./slides.js").Slides} Slides */
/** @typedef {import("./frames.js").Ask} Ask */
/** @typedef {import("./frames.js").BoardFrame} BoardFrame */
/** @typedef {import("./frames.js").ClientFrame} ClientFrame */
/** @typedef {import("./frames.js").FreedFrame} FreedFrame */
/** @typedef {import("./frames.js").HelloFrame} HelloFrame */
/** @typedef {import("./frames.js").RaceFrame} RaceFrame */
/** @typedef {import("./frames.js").RevealFrame} RevealFrame */
/** @typedef {import("./frames.js").Seat} Seat */
/** @typedef {import("./frames.js").Standing} Standing */
/** @typedef {import("./frames.js").TableFrame} TableFrame */

/** @typedef {"connecting" | "open" | "reconnecting" | "moved" | "gone" | "refused"} Line */
/** @typedef {{readonly id: string, readonly frame: Ask, readonly at: number, readonly sent: boolean}} Pending what was asked, when, and whether it has ever been sent */
/**
 * Short words; a later toast with the same topic takes its place.
 * @typedef {{readonly serial: number, readonly text: string, readonly topic?: string, readonly isNews?: boolean}} Toast
 */
/** One's own last offer of a draw: when it closed, and after how many slides. @typedef {{readonly race: number, readonly at: number, readonly slides: number}} OwnOffer */
/**
 * Since when the connection is lost, when it is tried again, whether the server had enough of us, how many handshakes of a
 * page that never had a connection have failed since, and whether HTTP is answered meanwhile, so that something in between
 * passes no WebSockets.
 * @typedef {{readonly at: number, readonly retryAt: number, readonly sentAway: boolean, readonly failed: number, readonly unpassed: boolean}} Lost
 */
/** Whether the browser keeps cookies: any, none, or none that are for https. @typedef {"kept" | "blocked" | "insecure"} Cookies */
/** Why one no longer sits, or has to be told so. @typedef {FreedFrame["why"] | "left" | "absent"} Freed */
/**
 * All that the table page knows.
 * @typedef {object} View
 * @property {Line} line how the connection is
 * @property {Lost | null} lost
 * @property {number | null} unheard since when the table is not heard: from a loss to the next table
 * @property {boolean} offline whether the browser knows that it has no network
 * @property {Awaited} awaited what the server owes an answer to
 * @property {Clock} clock
 * @property {Cookies} cookies
 * @property {string | null} build this page's own, where it knows it
 * @property {string | null} later the newer one that one does not want to load now
 * @property {HelloFrame | null} hello
 * @property {TableFrame | null} table
 * @property {RaceFrame | null} race
 * @property {BoardFrame | null} board the last one of one's own
 * @property {RevealFrame | null} reveal
 * @property {Slides} slides
 * @property {OwnOffer | null} offered
 * @property {Freed | null} freed why one's seat was freed
 * @property {boolean} leaving whether one has left the table; during a race the seat is kept until its end
 * @property {{readonly race: number} | null} sat the last race that was told of while one had a seat; null without one
 * @property {string | null} named the name that the server has taken last
 * @property {readonly Pending[]} pending what was asked and is not yet answered
 * @property {readonly Toast[]} toasts
 * @property {{readonly table: boolean, readonly race: boolean}} heard what this connection has brought: versions grow on it only
 * @property {number} serial
 * @property {readonly ClientFrame[]} out what the last event makes the page send
 */

/** A connection that has brought nothing yet. */
export const NOTHING_HEARD = { table: false, race: false };

/** @type {View} */
export const FIRST_VIEW = {
  line: "connecting",
  lost: null,
  unheard: null,
  offline: false,
  awaited: NOTHING_AWAITED,
  clock: UNKNOWN_CLOCK,
  cookies: "kept",
  build: null,
  later: null,
  hello: null,
  table: null,
  race: null,
  board: null,
  reveal: null,
  slides: noSlides(0, "", EMPTY_BOARD),
  offered: null,
  freed: null,
  leaving: false,
  sat: null,
  named: null,
  pending: [],
  toasts: [],
  heard: NOTHING_HEARD,
  serial: 0,
  out: [],
};

/**
 * Whether the server has another version of this page, and it was not yet put off.
 * @param {View} view
 * @returns {boolean}
 */
export const isNewer = ({ build, hello, later }) => build !== null && hello !== null && hello.build !== build && hello.build !== later;

/**
 * Whether the browser does not keep what it is known by here, and that was not yet put off.
 * @param {View} view
 * @returns {boolean}
 */
export function isUnknown({ cookies, hello, later }) {
  if (hello === null || hello.build === later) return false;
  return cookies === "blocked" || (cookies === "insecure" && hello.link.startsWith("https:"));
}

/**
 * The store's time as the page knows it.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {number}
 */
export const timeOf = (view, at) => storeTime(view.clock, at);

/** @typedef {"waiting" | "gathering" | "countdown" | "racing" | "finished"} Screen */

/**
 * Which screen is shown. The boards come alive by the clock, and a verdict ends the race before the table has settled.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {Screen}
 */
export function screenOf(view, at) {
  const { table } = view;
  if (table === null) return "waiting";
  if (table.race === null || table.phase === "gathering") return "gathering";
  if (verdictOf(view) !== null || table.phase === "finished") return "finished";
  return isAlive(view, at) ? "racing" : "countdown";
}

/**
 * Whether the screen is that of a race, from the countdown to the verdict.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {boolean}
 */
export const isRunning = (view, at) => ["countdown", "racing"].includes(screenOf(view, at));

/**
 * Whether the boards have come alive.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {boolean}
 */
export function isAlive(view, at) {
  const race = view.table?.race;
  if (race === undefined || race === null || race.starts_at === null) return false;
  return view.table?.phase === "racing" || storeTime(view.clock, at) >= race.starts_at;
}

/**
 * The news of the race that the table is at.
 * @param {View} view
 * @returns {RaceFrame | null}
 */
export const raceOf = (view) => (view.race !== null && view.race.race === view.table?.race?.number ? view.race : null);

/** @param {View} view @returns {RaceFrame["verdict"]} */
export const verdictOf = (view) => raceOf(view)?.verdict ?? null;

/**
 * One's own seat in the race, where one was dealt in.
 * @param {View} view
 * @returns {number | null}
 */
export function racingSeat(view) {
  const seat = view.table?.you.seat ?? null;
  return view.table?.race?.racers.some((racer) => racer.seat === seat) ? seat : null;
}

/**
 * How a seat stands in the race.
 * @param {View} view
 * @param {number | null} seat
 * @returns {Standing | null}
 */
export const standingOf = (view, seat) => raceOf(view)?.standings.find((standing) => standing.seat === seat) ?? null;

/**
 * The name at a seat, for a sentence: in a race the one it was dealt under.
 * @param {View} view
 * @param {number | null} seat
 * @returns {string}
 */
export function nameOf(view, seat) {
  const dealt = view.table?.race?.racers.find((racer) => racer.seat === seat);
  return isolated(dealt?.name ?? view.table?.seats.find((one) => one.seat === seat)?.name ?? "Somebody");
}

/**
 * Whether an ask of this type is under way.
 * @param {View} view
 * @param {Ask["type"]} type
 * @returns {boolean}
 */
export const isAsked = (view, type) => view.pending.some(({ frame }) => frame.type === type);

/**
 * The rules of the next race, as the host has just chosen them, where the table does not yet say so.
 * @param {View} view
 * @returns {import("./frames.js").Rules}
 */
export function chosenRules({ table, pending }) {
  const asked = pending.map(({ frame }) => frame).filter((frame) => frame.type === "rules").at(-1);
  return asked ?? table?.rules ?? { target: null, clock_s: null };
}

/**
 * Whether a key may become a slide now. On a board that is not yet there, as just after a reload, none does.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {boolean}
 */
export function maySlide(view, at) {
  const seat = racingSeat(view);
  const state = standingOf(view, seat)?.state ?? "sliding";
  const here = view.line === "open" || view.line === "reconnecting";
  return here && seat !== null && screenOf(view, at) === "racing" && state === "sliding" && view.board?.stuck === false;
}

/**
 * Whether to leave is to resign: one can still slide, or will be able to.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {boolean}
 */
export function mayLose(view, at) {
  return isRunning(view, at) && racingSeat(view) !== null && (standingOf(view, racingSeat(view))?.state ?? "sliding") === "sliding";
}
