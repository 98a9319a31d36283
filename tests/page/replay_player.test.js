import assert from "node:assert/strict";
import { test } from "node:test";
import { readReplay } from "../../web-gateway/src/web_gateway/page/js/replay/answer.js";
import { askReplay } from "../../web-gateway/src/web_gateway/page/js/replay/asking.js";
import { actionOf } from "../../web-gateway/src/web_gateway/page/js/replay/keys.js";
import { atBegin, atEnd, atStart, hashOf, momentOf, moved, paced, SPEEDS, stepped, ticked, toggled } from "../../web-gateway/src/web_gateway/page/js/replay/player.js";
import { timelineOf } from "../../web-gateway/src/web_gateway/page/js/replay/timeline.js";
import { clockTime, spokenTime } from "../../web-gateway/src/web_gateway/page/js/replay/words.js";
import { caseOf } from "./replay_cases.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/replay/player.js").Player} Player */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/replay/timeline.js").Timeline} Timeline */

/** @param {string} part */
const laidOut = (part) => timelineOf(readReplay(caseOf(part).replay));

/** @param {Timeline} timeline @param {Partial<Player>} [more] @returns {Player} */
const playing = (timeline, more = {}) => ({ ...atBegin(timeline), playing: true, ...more });

test("time goes by at the chosen speed, and not while paused", () => {
  const timeline = laidOut("race to 64");
  assert.equal(ticked(timeline, atBegin(timeline), 100).ms, 0);
  assert.equal(ticked(timeline, playing(timeline), 100).ms, 100);
  assert.equal(ticked(timeline, playing(timeline, { speed: 4 }), 100).ms, 400);
  assert.equal(ticked(timeline, playing(timeline, { speed: 0.5 }), 100).ms, 50);
});

test("a page that was asleep does not leap through the race", () => {
  const timeline = laidOut("clock ends a race of four");
  assert.equal(ticked(timeline, playing(timeline), 60_000).ms, 250);
});

test("played to its end it has gone through everything, and pauses there", () => {
  const timeline = laidOut("offers are declined");
  let player = playing(timeline, { speed: 8 });
  /** @type {number[]} */
  const seen = [];
  while (player.playing) {
    player = ticked(timeline, player, 16);
    seen.push(player.position);
  }
  assert.deepEqual(seen, [...seen].sort((one, other) => one - other));
  assert.deepEqual([player.ms, player.position], [timeline.to, timeline.log.length]);
});

test("played again at the end it begins anew; before the end it goes on", () => {
  const timeline = laidOut("race to 64");
  const again = toggled(timeline, atEnd(timeline, atBegin(timeline)));
  assert.deepEqual([again.ms, again.position, again.playing], [0, 0, true]);
  const middle = moved(timeline, atBegin(timeline), 2000);
  assert.deepEqual([toggled(timeline, middle).ms, toggled(timeline, middle).playing], [2000, true]);
  assert.equal(toggled(timeline, { ...middle, playing: true }).playing, false);
});

test("pauses are skipped where that is wanted, and nothing that happens in between", () => {
  const timeline = laidOut("clock ends a race of four");
  let player = moved(timeline, playing(timeline, { skips: true }), timeline.times[79]);
  player = ticked(timeline, player, 16);
  assert.ok(player.ms > 59_000 && player.ms < 60_000, String(player.ms));
  assert.equal(player.position, 80);
  assert.ok(ticked(timeline, { ...moved(timeline, player, 20_000), skips: false }, 16).ms < 20_100);
  assert.equal(ticked(timeline, moved(timeline, player, 58_000), 100).ms, 58_100);
});

test("steps go slide by slide through everything, and back again the same way", () => {
  const timeline = laidOut("left behind");
  let player = playing(timeline);
  const on = [player.position];
  while (player.position < timeline.log.length) on.push((player = stepped(timeline, player, 1)).position);
  assert.equal(player.playing, false);
  assert.equal(player.ms, timeline.to);
  assert.equal(on.length - 2, timeline.replay.order.length);
  for (const position of on.slice(1, -1)) assert.equal(timeline.log[position - 1].type, "slide");
  let slides = 0;
  while (player.position > 0) {
    player = stepped(timeline, player, -1);
    assert.equal(timeline.log[player.position].type, "slide");
    slides += 1;
  }
  assert.equal(slides, timeline.replay.order.length);
  assert.deepEqual(stepped(timeline, player, -1), player);
});

test("a step lands on a slide that came in the same millisecond as another", () => {
  const { replay } = caseOf("race to 64");
  replay.seats[1].slides[0][0] = replay.seats[0].slides[0][0];
  const timeline = timelineOf(readReplay(replay));
  const first = stepped(timeline, atBegin(timeline), 1);
  const second = stepped(timeline, first, 1);
  assert.deepEqual([first.position, second.position], [1, 2]);
  assert.equal(first.ms, second.ms);
});

test("going to a moment stays within the race", () => {
  const timeline = laidOut("race to 64");
  assert.deepEqual(moved(timeline, atBegin(timeline), -5), atBegin(timeline));
  assert.deepEqual(moved(timeline, atBegin(timeline), 1e9), atEnd(timeline, atBegin(timeline)));
  assert.equal(atStart(timeline, atEnd(timeline, atBegin(timeline))).position, 0);
});

test("a race that ended before its start can be looked at, too", () => {
  const timeline = laidOut("in the countdown");
  const player = toggled(timeline, atBegin(timeline));
  assert.deepEqual(ticked(timeline, player, 16), { ...atEnd(timeline, player), playing: false });
});

test("speeds go up and down, and no further", () => {
  const { speed } = SPEEDS.reduce((player) => paced(player, 1), atBegin(laidOut("race to 64")));
  assert.equal(speed, 8);
  assert.equal(SPEEDS.reduce((player) => paced(player, -1), { ...atBegin(laidOut("race to 64")), speed }).speed, 0.5);
});

test("a moment is named in an address and found again", () => {
  for (const ms of [0, 65_312, -1200, 7]) assert.equal(momentOf(hashOf(ms)), ms);
  for (const hash of ["", "#", "#t=", "#t=x", "#top", "#t=1e9", "#t=1;2"]) assert.equal(momentOf(hash), null, hash);
});

test("times are read as on a clock, and said in words", () => {
  assert.deepEqual([0, 999, 65_900, 3_600_000, -200, -2500].map(clockTime), ["0:00", "0:00", "1:05", "1:00:00", "0:00", "−0:02"]);
  assert.deepEqual([0, 1000, 65_000, 120_000].map(spokenTime), ["0 seconds", "1 second", "1 minute 5 seconds", "2 minutes 0 seconds"]);
});

/** @param {string} key @param {string} [held] */
const pressed = (key, held = "") => actionOf({ key, ctrlKey: held === "Ctrl", altKey: held === "Alt", metaKey: held === "Meta", shiftKey: held === "Shift" });

test("keys play, step, leap and change the speed, and those with Ctrl, Alt or Meta are the browser's", () => {
  assert.deepEqual([" ", "ArrowRight", "ArrowLeft", "Home", "End", "+", "=", "-"].map((key) => pressed(key)), ["toggle", "on", "back", "start", "end", "faster", "faster", "slower"]);
  assert.deepEqual(["ArrowRight", "ArrowLeft", "+"].map((key) => pressed(key, "Shift")), ["later", "earlier", "faster"]);
  for (const held of ["Ctrl", "Alt", "Meta"]) for (const key of [" ", "ArrowLeft", "+", "-"]) assert.equal(pressed(key, held), null);
  for (const key of ["a", "Tab", "Enter", "ArrowUp", "Escape"]) assert.equal(pressed(key), null);
});

/** @param {number} status @param {unknown} body @returns {typeof fetch} */
const answering = (status, body) => () => Promise.resolve(new Response(typeof body === "string" ? body : JSON.stringify(body), { status }));

test("an answer is a race, or says what the trouble is", async () => {
  const { replay } = caseOf("race to 64");
  assert.deepEqual(await askReplay("K7QM2XWP", "1", answering(200, replay)), { replay });
  /** @type {[number, unknown, string][]} */
  const troubles = [
    [404, { error: "RACE_UNKNOWN", message: "" }, "no-race"],
    [404, { error: "TABLE_UNKNOWN", message: "" }, "no-table"],
    [409, { error: "RACE_NOT_OVER", message: "" }, "running"],
    [503, { error: "UNAVAILABLE", message: "Try again." }, "refused"],
    [502, "<html>", "unreachable"],
    [200, { ...replay, seed: "" }, "damaged"],
    [200, { ...replay, race: 7 }, "damaged"],
  ];
  for (const [status, body, kind] of troubles) {
    const answer = await askReplay("K7QM2XWP", "1", answering(status, body));
    assert.equal("trouble" in answer && answer.trouble.kind, kind);
  }
  const busy = await askReplay("K7QM2XWP", "1", answering(503, { error: "UNAVAILABLE", message: "Try again." }));
  assert.equal("trouble" in busy && busy.trouble.words, "Try again.");
  const gone = await askReplay("K7QM2XWP", "1", (address) => answering(404, { error: String(address).endsWith("/replay") ? "RACE_UNKNOWN" : "TABLE_UNKNOWN" })(address));
  assert.equal("trouble" in gone && gone.trouble.kind, "no-table");
  const nobody = await askReplay("K7QM2XWP", "1", () => Promise.reject(new TypeError("offline")));
  assert.equal("trouble" in nobody && nobody.trouble.kind, "unreachable");
});
