import { isolated } from "../words.js";
import { counted } from "./words.js";

/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("../race/frames.js").Reason} Reason */
/** @typedef {import("../race/frames.js").Rules} Rules */
/** @typedef {import("../race/frames.js").Verdict} Verdict */
/** @typedef {"resigned" | "left_behind" | "offered" | "agreed" | "declined" | "lapsed" | "time_up"} EventType */
/** What happened besides slides; `after` is how many slides of all came before it. @typedef {{readonly ms: number, readonly type: EventType, readonly seat: number | null, readonly after: number}} ReplayEvent */
/** @typedef {{readonly seat: number, readonly name: string, readonly slides: readonly (readonly [ms: number, direction: Direction])[]}} ReplaySeat */
/**
 * A race that is over, as the HTTP interface gives it (docs/openapi.json). Milliseconds count from `starts_at`; `order`
 * has the seat of each slide in the log's order; `link`, which older servers leave out, is its page's address for friends.
 * @typedef {object} Replay
 * @property {number} race
 * @property {string} [link]
 * @property {string} seed hex
 * @property {string} commitment hex
 * @property {Rules} rules
 * @property {number} starts_at
 * @property {number} ended_at
 * @property {readonly ReplaySeat[]} seats
 * @property {readonly number[]} order
 * @property {readonly ReplayEvent[]} events
 * @property {Verdict} verdict
 */

const DIRECTIONS = ["up", "down", "left", "right"];
const REASONS = ["TARGET", "LAST_IN_RACE", "ALL_STUCK", "OUTSCORED", "TIME_UP", "AGREED"];
const OF_NOBODY = ["lapsed", "time_up"];
const OF_A_RACER = ["resigned", "left_behind", "offered", "agreed", "declined"];

/** What was received is no race, and what is wrong with it, in words. */
export class BadReplay extends Error {}

/**
 * A race from what the server sent, if it is one: every part is there, and the parts fit together.
 * @param {any} body
 * @returns {Replay}
 * @throws {BadReplay}
 */
export function readReplay(body) {
  try {
    needWhole(body);
  } catch (wrong) {
    throw wrong instanceof BadReplay ? wrong : new BadReplay("a part of it is missing");
  }
  return body;
}

/** @param {any} body */
function needWhole(body) {
  need(isHash(body.seed), "its seed is not 32 bytes");
  need(isHash(body.commitment), "its commitment is not 32 bytes");
  need([body.race, body.starts_at, body.ended_at].every(Number.isSafeInteger), "its times are missing");
  need(body.link === undefined || isAddress(body.link), "its link is no address");
  needRules(body.rules);
  needSeats(body.seats);
  needOrder(body);
  needEvents(body);
  needVerdict(body);
}

/** @param {unknown} holds @param {string} wrong */
function need(holds, wrong) {
  if (!holds) throw new BadReplay(wrong);
}

/** @param {unknown} text @returns {boolean} */
const isHash = (text) => typeof text === "string" && /^[0-9a-f]{64}$/i.test(text);

/** @param {unknown} text @returns {boolean} */
const isAddress = (text) => typeof text === "string" && ["http:", "https:"].includes(new URL(text).protocol);

/** @param {any} rules */
function needRules(rules) {
  const isRule = (/** @type {unknown} */ rule) => rule === null || (Number.isSafeInteger(rule) && Number(rule) > 0);
  need(isRule(rules?.target) && isRule(rules.clock_s), "its rules are missing");
}

/** @param {any} seats */
function needSeats(seats) {
  need(Array.isArray(seats) && seats.length >= 2 && seats.length <= 4, "it has not two to four racers");
  need(seats.every((/** @type {any} */ { seat }, /** @type {number} */ index) => [1, 2, 3, 4].includes(seat) && (index === 0 || seat > seats[index - 1].seat)), "its seats are out of order");
  for (const { name, slides } of seats) {
    need(typeof name === "string", "a racer has no name");
    need(Array.isArray(slides), `${isolated(name)} has no slides`);
    slides.forEach((/** @type {any} */ slide, /** @type {number} */ index) => need(isSlide(slide), `${isolated(name)}'s slide ${index + 1} is out of shape`));
  }
}

/** @param {any} slide @returns {boolean} */
const isSlide = (slide) => Array.isArray(slide) && Number.isSafeInteger(slide[0]) && DIRECTIONS.includes(slide[1]);

/** @param {any} body */
function needOrder({ seats, order }) {
  need(Array.isArray(order), "the order of its slides is missing");
  for (const { seat, name, slides } of seats) {
    const times = order.filter((/** @type {unknown} */ one) => one === seat).length;
    need(times === slides.length, `${isolated(name)} has ${counted(slides.length, "slide")}, but the order of all slides has ${times} of them`);
  }
  const stranger = order.find((/** @type {unknown} */ one) => !seats.some((/** @type {any} */ { seat }) => seat === one));
  need(stranger === undefined, `the order of its slides names seat ${stranger}, which was not dealt in`);
}

/** @param {any} body */
function needEvents({ seats, order, events }) {
  need(Array.isArray(events), "its events are missing");
  let before = 0;
  events.forEach((/** @type {any} */ { ms, type, seat, after }, /** @type {number} */ index) => {
    const ofRacer = OF_A_RACER.includes(type) && seats.some((/** @type {any} */ racer) => racer.seat === seat);
    need(Number.isSafeInteger(ms) && (ofRacer || (OF_NOBODY.includes(type) && seat === null)), `event ${index + 1} is out of shape`);
    need(Number.isSafeInteger(after) && after >= before && after <= order.length, `event ${index + 1} is out of order`);
    before = after;
  });
}

/** @param {any} body */
function needVerdict({ verdict, seats }) {
  const isRacer = (/** @type {unknown} */ one) => seats.some((/** @type {any} */ { seat }) => seat === one);
  need(REASONS.includes(verdict?.reason) && Array.isArray(verdict.tied), "its verdict is missing");
  need(verdict.winner === null ? verdict.tied.length > 1 : verdict.tied.length === 0, "its verdict is neither a win nor a draw");
  need(new Set(verdict.tied).size === verdict.tied.length, "its verdict names one twice");
  need((verdict.winner === null ? verdict.tied : [verdict.winner]).every(isRacer), "its verdict names one who did not race");
}
