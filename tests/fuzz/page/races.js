/** The table page through any frames a server of its release may send, in any order: what must always hold, holds. */

import assert from "node:assert/strict";
import { isBoard, boardOfValues } from "../../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { DIRECTIONS } from "../../../web-gateway/src/web_gateway/page/js/engine/slide.js";
import { reduce } from "../../../web-gateway/src/web_gateway/page/js/race/reducer.js";
import { IN_FLIGHT, KEPT, KEYS } from "../../../web-gateway/src/web_gateway/page/js/race/slides.js";
import { FIRST_VIEW, mayLose, maySlide, nameOf, screenOf } from "../../../web-gateway/src/web_gateway/page/js/race/view.js";
import { HELLO, NOW } from "../../page/frames_for_test.js";

/** @typedef {import("../../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

/** Reads choices off a text, of which each letter is one; at its end all are the first. */
class Tape {
  #text;
  #at = 0;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  get over() {
    return this.#at >= this.#text.length;
  }

  /** @param {number} below @returns {number} */
  number(below) {
    return this.over ? 0 : this.#text.charCodeAt(this.#at++) % below;
  }

  /** @template T @param {readonly T[]} choices @returns {T} */
  of(choices) {
    return choices[this.number(choices.length)];
  }
}

const REFUSALS = ["NOT_SEATED", "SLIDE_CHANGES_NOTHING", "SLIDE_OUT_OF_ORDER", "NOT_STARTED_YET", "TOO_FAST", "RACE_OVER", "UNAVAILABLE", "SLIDE_CONFLICT", "LATER_RELEASE"];
const ASKS = [
  { type: "sit", name: "Zoe" }, { type: "leave" }, { type: "rename", name: "Zoe" }, { type: "ready", ready: true }, { type: "free_seat", seat: 2 },
  { type: "rules", target: 64, clock_s: null }, { type: "start" }, { type: "resign", race: 1 }, { type: "offer", race: 1 },
  { type: "answer", race: 1, agree: false }, { type: "race_on_without", race: 1, seat: 2 }, { type: "play_again", race: 1 }, { type: "change_settings", race: 1 },
];
const VALUES = [0, 2, 4, 8, 2048, 131072];

/** @param {Tape} tape @param {View} view @returns {any} */
function frameOf(tape, view) {
  const race = 1 + tape.number(3);
  const re = tape.of([null, ...view.slides.unanswered.map(({ id }) => id), ...view.pending.map(({ id }) => id), "zz"]);
  switch (tape.number(11)) {
    case 0: return { ...HELLO, build: tape.of(["b", "c"]), now: NOW + tape.number(90) * 100 };
    case 1: case 2: return tableOf(tape, race);
    case 3: return raceOf(tape, race);
    case 4: case 5: return boardOf(tape, race, re);
    case 6: return { type: "reveal", race, seed: "00".repeat(32), boards: [{ seat: 1, cells: cellsOf(tape) }] };
    case 7: return { type: "refused", re, of: tape.of(["slide", "sit", "start"]), code: tape.of(REFUSALS), message: "Words.", n: tape.number(9) };
    case 8: return tape.of([{ type: "done", re: re ?? "zz" }, { type: "pong", t: tape.number(50), now: NOW + tape.number(50) }]);
    case 9: return tape.of([{ type: "moved" }, { type: "bye", retry_ms: tape.number(9) }, { type: "later_release" }]);
    default: return { type: "freed", why: tape.of(["host", "away", "not_dealt"]) };
  }
}

/** @param {Tape} tape @returns {number[]} */
const cellsOf = (tape) => Array.from({ length: 16 }, (_, cell) => (cell < 4 ? tape.of(VALUES) : VALUES[(cell * 7) % 4]));

/** @param {Tape} tape @param {number} number */
function tableOf(tape, number) {
  const phase = tape.of(["gathering", "countdown", "racing", "finished"]);
  const racers = [{ seat: 1, name: "Ann" }, { seat: 1 + tape.number(3) + 1, name: "Bo" }];
  const race = { number, rules: { target: tape.of([null, 64]), clock_s: tape.of([null, 180]) }, starts_at: tape.of([null, NOW, NOW + 3000]), deadline: tape.of([null, NOW + 5000]), ended_at: null, commitment: tape.of([null, "c1", "c2"]), racers };
  const seats = [1, 2, 3, 4].map((seat) => (tape.number(3) === 0 ? { seat, name: null } : { seat, name: tape.of(["Ann", "Bo", ""]), ready: tape.number(2) === 1, connected: tape.number(2) === 1, away_until: tape.of([null, NOW + 9000]), tally: tape.number(3) / 2 }));
  const seat = tape.of([null, 1, 2, 3]);
  return { type: "table", version: tape.number(6), table: "K7QM2XWP", phase, host: tape.of([null, 1, 2]), seats, watchers: tape.number(3), rules: race.rules, race: phase === "gathering" ? null : race, you: { seat, host: seat === 1 }, now: NOW + tape.number(99) * 50 };
}

/** @param {Tape} tape @param {number} race */
function raceOf(tape, race) {
  const standings = [1, 2].map((seat) => {
    const state = tape.of(["sliding", "stuck", "out"]);
    return { seat, score: tape.number(99) * 4, biggest: tape.of(VALUES), slides: tape.number(99), state, ...(state === "out" ? { out: tape.of(["resigned", "left_behind"]) } : {}) };
  });
  const offer = tape.of([null, { by: 1, agreed: [1], until: NOW + 3000 }, { by: 2, agreed: [2, 3], until: NOW }]);
  const last = tape.of([null, { by: 1, outcome: "declined", seat: 2 }, { by: 2, outcome: "lapsed", seat: null }, { by: 1, outcome: "slid", seat: 2 }]);
  const verdict = tape.of([null, null, { winner: 1, tied: [], reason: "TARGET" }, { winner: null, tied: [1, 2], reason: "AGREED" }]);
  return { type: "race", race, version: tape.number(6), standings, offer, last_offer: last, verdict, now: NOW + tape.number(99) * 50 };
}

/** @param {Tape} tape @param {number} race @param {string | null} re */
function boardOf(tape, race, re) {
  const made = tape.number(2) === 1;
  const slide = made ? { direction: tape.of(DIRECTIONS), points: 4, motions: [[0, 1, true]] } : null;
  return { type: "board", race, n: tape.number(12), cells: cellsOf(tape), score: tape.number(99) * 4, stuck: tape.number(5) === 0, slide, tile: made ? { cell: tape.number(16), value: 2 } : null, re };
}

/** @param {Tape} tape @param {View} view @param {number} at @returns {any} */
function eventOf(tape, view, at) {
  switch (tape.number(10)) {
    case 0: return { kind: tape.of(["opened", "pinged", "tick", "later"]), at };
    case 1: return { kind: "closed", why: tape.of(["lost", "lost", "moved", "gone", "refused"]), wait: 500, at };
    case 2: return { kind: "network", online: tape.number(2) === 1, at };
    case 3: case 4: return { kind: "key", direction: tape.of(DIRECTIONS), at };
    case 5: return { kind: "ask", frame: tape.of(ASKS), at };
    case 6: return tape.of([{ kind: "say", text: "Words.", at }, { kind: "dismiss", serial: tape.number(20), at }]);
    default: return { kind: "frame", frame: frameOf(tape, view), at };
  }
}

/** @param {string} text */
export function races(text) {
  const tape = new Tape(text);
  let view = FIRST_VIEW;
  let at = 0;
  while (!tape.over) {
    at += tape.of([0, 1, 50, 800, 7000]);
    const event = eventOf(tape, view, at);
    const before = JSON.stringify(view);
    const after = reduce(view, event);
    assert.equal(JSON.stringify(view), before, "a view was changed in place");
    hold(view, after, at);
    view = after;
  }
}

/** @param {View} before @param {View} view @param {number} at */
function hold(before, view, at) {
  const { slides, out } = view;
  assert.ok(slides.unanswered.length <= IN_FLIGHT && slides.history.length <= KEPT && slides.keys.length <= KEYS && isBoard(slides.board));
  assert.ok(slides.sent <= slides.keys.length && slides.base >= 0);
  assert.ok(view.serial >= before.serial && view.toasts.length <= 16);
  for (const frame of out) assert.ok(typeof frame.type === "string" && JSON.stringify(frame).length < 4096);
  for (const frame of out.filter(({ type }) => type === "slide")) assert.ok(view.line === "open" && /** @type {any} */ (frame).n >= 1);
  if (before.heard.table && view.heard.table && before.table !== null) assert.ok((view.table?.version ?? 0) >= before.table.version || view.line !== before.line);
  if (view.board !== null) boardOfValues(view.board.cells);
  assert.ok(["waiting", "gathering", "countdown", "racing", "finished"].includes(screenOf(view, at)));
  assert.equal(typeof nameOf(view, 1), "string");
  if (maySlide(view, at)) assert.ok(mayLose(view, at));
}
