import assert from "node:assert/strict";
import { test } from "node:test";
import { reduce } from "../../web-gateway/src/web_gateway/page/js/race/reducer.js";
import { FIRST_VIEW } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { boardFrame, HELLO, NOW, raceFrame, racingTable, tableFrame } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").ServerFrame} ServerFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").Seat} Seat */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

/** @param {View} view @param {...ServerFrame} frames @returns {View} */
const hearing = (view, ...frames) => frames.reduce((before, frame) => reduce(before, { kind: "frame", frame, at: 0 }), view);

/** @param {...ServerFrame} frames @returns {View} */
const opened = (...frames) => hearing(reduce(FIRST_VIEW, { kind: "opened", at: 0 }), HELLO, ...frames);

const inRace = () => opened(racingTable({ phase: "racing" }), raceFrame(), boardFrame());

/** @param {View} view @returns {string[]} */
const words = (view) => view.toasts.map(({ text }) => text);

/** @param {Record<number, Partial<Seat>>} changes by seat @returns {Seat[]} */
const seats = (changes) => tableFrame().seats.map((seat) => ({ ...seat, ...changes[seat.seat] }));

/** @param {Partial<import("../../web-gateway/src/web_gateway/page/js/race/frames.js").TableFrame>} more @returns {string[]} */
const saidAfter = (more) => words(hearing(opened(tableFrame()), tableFrame({ version: 6, ...more })));

test("it is said who sat down, whose seat is free, and who took another name", () => {
  assert.deepEqual(saidAfter({ seats: seats({ 3: { name: "Cleo", ready: false, connected: true } }) }), ["Cleo sat down."]);
  assert.deepEqual(saidAfter({ seats: seats({ 2: { name: null } }) }), ["Ben's seat is free."]);
  assert.deepEqual(saidAfter({ seats: seats({ 2: { name: "Benno" } }) }), ["Ben is Benno now."]);
});

test("of one's own seat nothing is said, the screen shows it", () => {
  assert.deepEqual(saidAfter({ seats: seats({ 1: { name: "Anna" } }) }), []);
  const watching = opened(tableFrame({ seats: seats({ 2: { name: null } }), you: { seat: null, host: false } }));
  assert.deepEqual(words(hearing(watching, tableFrame({ version: 6, you: { seat: 2, host: false } }))), []);
});

test("seats that go round from race to race are nobody's coming or going, and who is not dealt in is named", () => {
  const three = seats({ 3: { name: "Cleo", connected: true } });
  const over = opened(racingTable({ phase: "finished", seats: three }));
  const round = seats({ 1: { name: "Ben" }, 2: { name: "Ann" } });
  assert.deepEqual(words(hearing(over, racingTable({ version: 7, seats: round, you: { seat: 2, host: false }, host: 2 }, 2))), ["Cleo is not in this race."]);
});

test("other rules are said to all but the host, and to those who were ready that they must be again", () => {
  const guest = { you: { seat: 2, host: false } };
  const rules = { target: 512, clock_s: null };
  const changed = words(hearing(opened(tableFrame(guest)), tableFrame({ version: 6, rules, ...guest, seats: seats({ 2: { ready: false } }) })));
  assert.deepEqual(changed, ["The rules have changed: The first to make a 512 wins. Press Ready again if you are."]);
  assert.deepEqual(saidAfter({ rules }), []);
  const watcher = { you: { seat: null, host: false } };
  assert.deepEqual(words(hearing(opened(tableFrame(watcher)), tableFrame({ version: 6, rules, ...watcher }))), ["The rules have changed: The first to make a 512 wins."]);
});

test("a rival who goes away and comes back is one piece of news, not two", () => {
  const away = hearing(inRace(), racingTable({ version: 7, phase: "racing", seats: seats({ 2: { connected: false, away_until: NOW + 60_000 } }) }));
  assert.deepEqual(words(away), ["Ben is away."]);
  assert.deepEqual(words(hearing(away, racingTable({ version: 8, phase: "racing" }))), ["Ben is back."]);
});

test("a stuck rival need not stay, so nobody is told that they went", () => {
  const standings = raceFrame().standings.map((standing) => (standing.seat === 2 ? { ...standing, state: /** @type {const} */ ("stuck"), score: 3412 } : standing));
  const stuck = hearing(inRace(), raceFrame({ version: 2, standings }));
  assert.deepEqual(words(stuck), ["Ben is stuck; a score of 3,412 stands."]);
  const away = hearing(stuck, racingTable({ version: 7, phase: "racing", seats: seats({ 2: { connected: false, away_until: NOW + 60_000 } }) }));
  assert.deepEqual(words(away), words(stuck));
});

test("who resigns, and who is raced on without, is said unless the verdict says it", () => {
  const out = (/** @type {"resigned" | "left_behind"} */ why, more = {}) => {
    const standings = raceFrame().standings.map((standing) => (standing.seat === 2 ? { ...standing, state: /** @type {const} */ ("out"), out: why } : standing));
    return words(hearing(inRace(), raceFrame({ version: 2, standings, ...more })));
  };
  assert.deepEqual(out("resigned"), ["Ben has resigned."]);
  assert.deepEqual(out("left_behind"), ["The race goes on without Ben."]);
  assert.deepEqual(out("resigned", { verdict: { winner: 1, tied: [], reason: "LAST_IN_RACE" } }), []);
});

test("what was news on one screen is gone with it, and what one was told oneself is not", () => {
  const away = hearing(inRace(), racingTable({ version: 7, phase: "racing", seats: seats({ 2: { connected: false, away_until: NOW + 60_000 } }) }));
  const told = reduce(away, { kind: "say", text: "The link is copied.", at: 0 });
  assert.deepEqual(words(told), ["Ben is away.", "The link is copied."]);
  assert.deepEqual(words(hearing(told, racingTable({ version: 8, phase: "finished" }))), ["The link is copied."]);
});

test("the start of the boards is no other screen than the countdown", () => {
  const sat = opened(racingTable({ phase: "countdown" }), raceFrame(), boardFrame());
  const away = hearing(sat, racingTable({ version: 7, phase: "countdown", seats: seats({ 2: { connected: false, away_until: NOW + 60_000 } }) }));
  const live = hearing(away, racingTable({ version: 8, phase: "racing", seats: seats({ 2: { connected: false, away_until: NOW + 60_000 } }) }));
  assert.deepEqual(words(live), ["Ben is away."]);
});

test("who sat down while gathering is no news any more once the race begins", () => {
  const came = hearing(opened(tableFrame()), tableFrame({ version: 6, seats: seats({ 3: { name: "Cleo", ready: false, connected: true } }) }));
  assert.deepEqual(words(came), ["Cleo sat down."]);
  assert.deepEqual(words(hearing(came, racingTable({ version: 7, phase: "countdown", seats: seats({ 3: { name: "Cleo", connected: true } }) }))), []);
});
