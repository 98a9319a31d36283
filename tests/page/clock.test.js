import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfter } from "../../web-gateway/src/web_gateway/page/js/race/connection.js";
import { ponged, storeTime, told, UNKNOWN_CLOCK } from "../../web-gateway/src/web_gateway/page/js/race/clock.js";

test("a pong says the store's time at half of its round trip", () => {
  const clock = ponged(UNKNOWN_CLOCK, { t: 1000, at: 1100, now: 500_000 });
  assert.equal(storeTime(clock, 1100), 500_050);
  assert.equal(clock.roundTrip, 100);
});

test("the fastest pong is believed", () => {
  const fast = ponged(UNKNOWN_CLOCK, { t: 0, at: 10, now: 1005 });
  const slow = ponged(fast, { t: 1000, at: 1800, now: 2790 });
  assert.equal(storeTime(slow, 1800), 2800);
});

test("what a message tells without a round trip counts until the first pong", () => {
  const rough = told(UNKNOWN_CLOCK, { now: 900, at: 0 });
  assert.equal(storeTime(rough, 50), 950);
  assert.equal(storeTime(ponged(rough, { t: 0, at: 40, now: 1020 }), 40), 1040);
});

test("coming back waits longer each time, never beyond the longest, and is spread", () => {
  assert.ok(retryAfter(0, 0.5) < 500);
  assert.ok(retryAfter(0, 1) - retryAfter(0, 0) > 600);
  assert.ok(retryAfter(3, 0) > retryAfter(0, 0));
  assert.equal(retryAfter(50, 1), 4000);
  assert.notEqual(retryAfter(2, 0.1), retryAfter(2, 0.9));
});

test("a machine that slept is noticed by what the next message tells, and by the next pong", () => {
  const before = ponged(UNKNOWN_CLOCK, { t: 0, at: 10, now: 1005 });
  const slept = told(before, { now: 62_000, at: 1000 });
  assert.equal(storeTime(slept, 1000), 62_000);
  assert.equal(storeTime(ponged(before, { t: 1000, at: 1100, now: 62_050 }), 1100), 62_100);
});

test("a clock set back by the store is believed, too", () => {
  const before = ponged(UNKNOWN_CLOCK, { t: 0, at: 10, now: 900_005 });
  assert.equal(storeTime(ponged(before, { t: 100, at: 110, now: 1005 }), 110), 1010);
});

test("a message that was long under way does not set the clock back", () => {
  const before = ponged(UNKNOWN_CLOCK, { t: 0, at: 10, now: 1005 });
  assert.equal(storeTime(told(before, { now: 1500, at: 3000 }), 3000), 4000);
});

test("before the first pong the message that was fastest is believed", () => {
  const two = told(told(UNKNOWN_CLOCK, { now: 900, at: 0 }), { now: 1000, at: 60 });
  assert.equal(storeTime(told(two, { now: 1005, at: 100 }), 100), 1040);
});
