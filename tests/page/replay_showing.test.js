import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { readReplay } from "../../web-gateway/src/web_gateway/page/js/replay/answer.js";
import { Showing } from "../../web-gateway/src/web_gateway/page/js/replay/showing.js";
import { timelineOf } from "../../web-gateway/src/web_gateway/page/js/replay/timeline.js";
import { caseOf } from "./replay_cases.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/replay/showing.js").Picture} Picture */

/** @type {((now: number) => void)[]} what a browser would call before its next picture */
let waiting = [];
let now = 0;
globalThis.requestAnimationFrame = (call) => waiting.push(call);
afterEach(() => (waiting = []));

/** A picture is due, so many milliseconds after the last. @param {number} after */
function draw(after) {
  now += after;
  const calls = waiting;
  waiting = [];
  for (const call of calls) call(now);
}

/** @param {string} part @returns {{showing: Showing, pictures: Picture[]}} */
function shown(part) {
  /** @type {Picture[]} */
  const pictures = [];
  return { showing: new Showing(timelineOf(readReplay(caseOf(part).replay)), (picture) => pictures.push(picture)), pictures };
}

test("while it plays, every picture goes on by the time since the last", () => {
  const { showing, pictures } = shown("race to 64");
  showing.act("toggle");
  for (const after of [5000, 16, 20, 30]) draw(after);
  assert.equal(showing.player.ms, 66);
  assert.equal(pictures.length, 4);
});

test("paused and played again before the next picture, time goes by once only", () => {
  const { showing } = shown("race to 64");
  showing.act("toggle");
  draw(16);
  showing.act("toggle");
  showing.act("toggle");
  draw(16);
  draw(100);
  assert.equal(showing.player.ms, 100);
});

test("paused, no picture is asked for any more", () => {
  const { showing } = shown("race to 64");
  showing.act("toggle");
  draw(16);
  showing.pause();
  draw(16);
  assert.deepEqual([waiting.length, showing.player.playing], [0, false]);
  showing.pause();
  assert.equal(showing.player.playing, false);
});

test("while the line is held no time goes by, and then it goes on from there", () => {
  const { showing } = shown("race to 64");
  showing.act("toggle");
  draw(16);
  showing.hold(true);
  showing.seek(2000);
  draw(100);
  assert.equal(showing.player.ms, 2000);
  showing.hold(false);
  draw(50);
  assert.deepEqual([showing.player.ms, showing.player.playing], [2050, true]);
});

test("jumps are without motion; steps and play are with it", () => {
  const { showing, pictures } = shown("race to 64");
  for (const act of /** @type {const} */ (["on", "back", "later", "earlier", "end", "start", "faster", "slower", "skips"])) showing.act(act);
  showing.seek(1000);
  assert.deepEqual(pictures.map(({ still }) => still), [false, false, true, true, true, true, false, false, false, true]);
});

test("the speed chosen holds", () => {
  const { showing } = shown("race to 64");
  showing.pace(8);
  showing.act("toggle");
  draw(16);
  draw(10);
  assert.equal(showing.player.ms, 80);
});
