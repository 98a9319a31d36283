import assert from "node:assert/strict";
import { test } from "node:test";
import { clockName, grouped, isolated, listed, minutes, reasonWords, rulesLine, rulesName, tallyWords } from "../../web-gateway/src/web_gateway/page/js/words.js";
import { whyNotStart } from "../../web-gateway/src/web_gateway/page/js/race/start.js";
import { watchersWords } from "../../web-gateway/src/web_gateway/page/js/race/watchers.js";
import { tableFrame } from "./frames_for_test.js";

test("numbers are grouped by thousands", () => {
  assert.deepEqual([0, 999, 7284, 3932100].map(grouped), ["0", "999", "7,284", "3,932,100"]);
});

test("a time left counts a begun second as whole, and never falls below nought", () => {
  assert.deepEqual([112_000, 111_001, 9_500, 0, -5].map(minutes), ["1:52", "1:52", "0:10", "0:00", "0:00"]);
});

test("a race is called by its target, or its clock, or Endless", () => {
  assert.equal(rulesName({ target: 512, clock_s: 60 }), "First to 512");
  assert.equal(rulesName({ target: null, clock_s: 60 }), "Against the clock");
  assert.equal(rulesName({ target: null, clock_s: null }), "Endless");
  assert.equal(rulesLine({ target: 512, clock_s: 60 }), "First to 512 wins; after 1 minute the highest score does");
  assert.deepEqual([60, 180, 5].map(clockName), ["1 minute", "3 minutes", "5 seconds"]);
});

test("every reason has its words", () => {
  const reasons = /** @type {const} */ (["TARGET", "LAST_IN_RACE", "ALL_STUCK", "OUTSCORED", "TIME_UP", "AGREED"]);
  assert.equal(new Set(reasons.map((reason) => reasonWords(reason, 2048))).size, reasons.length);
  assert.equal(reasonWords("TARGET", 512), "made the 512 first");
});

test("names are listed as people say them, and halves are shown as halves", () => {
  assert.equal(listed(["Ann"]), "Ann");
  assert.equal(listed(["Ann", "Ben", "Cleo"]), "Ann, Ben and Cleo");
  assert.deepEqual([0, 0.5, 1, 2.5].map(tallyWords), ["0", "½", "1", "2½"]);
});

test("Start says whom it waits for", () => {
  const table = tableFrame();
  assert.equal(whyNotStart(table), null);
  const unready = table.seats.map((seat) => (seat.seat === 2 ? { ...seat, ready: false } : seat));
  assert.equal(whyNotStart({ ...table, seats: unready }), "Waiting for Ben to press Ready.");
  assert.equal(whyNotStart({ ...table, seats: unready, you: { ...table.you, seat: 2, host: false } }), "Press Ready when you are.");
  assert.equal(whyNotStart({ ...table, seats: [table.seats[0]] }), "Waiting for a friend to sit down.");
});

test("one who watches is not told of themselves as another", () => {
  const watching = (/** @type {number} */ watchers) => watchersWords(tableFrame({ watchers, you: { seat: null, host: false } }));
  assert.deepEqual([1, 2, 3].map(watching), ["You are watching", "You and 1 other are watching", "You and 2 others are watching"]);
  assert.deepEqual([0, 2].map((watchers) => watchersWords(tableFrame({ watchers }))), ["", "2 watching"]);
});

test("a name that runs from right to left turns nothing around it", () => {
  assert.deepEqual(["Ann", "Мария", "日本"].map(isolated), ["Ann", "Мария", "日本"]);
  assert.equal(isolated("דנה"), "\u2068דנה\u2069");
});
