import assert from "node:assert/strict";
import { test } from "node:test";
import { heldAt, isLongComing, isSlow } from "../../web-gateway/src/web_gateway/page/js/race/awaited.js";
import { reduce } from "../../web-gateway/src/web_gateway/page/js/race/reducer.js";
import { FIRST_VIEW } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { boardFrame, HELLO, NOW, raceFrame, racingTable, tableFrame } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").ServerFrame} ServerFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/reducer.js").Event} Event */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

/** A page by its own clock, which ticks. */
class Page {
  /** @type {View} */
  view = FIRST_VIEW;
  at = 0;

  /** @param {...(Event extends infer E ? E extends Event ? Omit<E, "at"> : never : never)} happenings */
  happen(...happenings) {
    for (const happening of happenings) this.view = reduce(this.view, /** @type {Event} */ ({ ...happening, at: this.at }));
    return this;
  }

  /** @param {...ServerFrame} frames */
  hear(...frames) {
    for (const frame of frames) this.happen({ kind: "frame", frame });
    return this;
  }

  /** @param {number} ms */
  pass(ms) {
    for (let gone = 0; gone < ms; gone += 100) {
      this.at += 100;
      this.happen({ kind: "tick" });
    }
    return this;
  }

  get isSlow() {
    return isSlow(this.view, this.at);
  }
}

const gathered = () => new Page().happen({ kind: "opened" }).hear(HELLO, tableFrame());
const raced = () => new Page().happen({ kind: "opened" }).hear(HELLO, racingTable({ phase: "racing" }), raceFrame(), boardFrame());
const ANSWER = boardFrame({ n: 1, cells: [2, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0], re: "s1" });

test("a server that owes nothing is not slow, for however long", () => {
  assert.equal(raced().pass(60_000).isSlow, false);
});

test("a slide without an answer makes the server slow after a while, and its answer ends that at once", () => {
  const page = raced().happen({ kind: "key", direction: "left" }).pass(1500);
  assert.equal(page.isSlow, false);
  assert.equal(page.pass(100).isSlow, true);
  assert.equal(page.hear(ANSWER).isSlow, false);
});

test("slides that are answered one by one are not slow, though the last of them waits", () => {
  const page = raced().happen({ kind: "key", direction: "left" }, { kind: "key", direction: "down" }).pass(1000).hear(ANSWER).pass(1000);
  assert.equal(page.view.slides.keys.length, 1);
  assert.equal(page.isSlow, false);
});

test("a slide that is refused for now again and again is still waited for", () => {
  const page = raced().happen({ kind: "key", direction: "left" });
  for (let again = 1; again < 5; again += 1) {
    page.hear({ type: "refused", re: `s${again}`, of: "slide", code: "UNAVAILABLE", message: "m", n: 1 }, boardFrame()).pass(600);
  }
  assert.equal(page.isSlow, true);
});

test("a ping without a pong makes the server slow, and the pong ends that", () => {
  const page = gathered().happen({ kind: "pinged" }).pass(1600);
  assert.equal(page.isSlow, true);
  assert.equal(page.hear({ type: "pong", t: 0, now: NOW + 1600 }).isSlow, false);
  assert.equal(page.view.clock.roundTrip, null, "what was held up is no round trip to show");
});

test("what was asked and is not answered makes it slow, too", () => {
  const page = gathered().happen({ kind: "ask", frame: { type: "start" } }).pass(1600);
  assert.equal(page.isSlow, true);
  assert.equal(page.hear({ type: "done", re: page.view.pending[0].id }).isSlow, false);
});

test("a table that does not come makes it slow, on the first connection and on each", () => {
  const first = new Page().happen({ kind: "opened" }).hear(HELLO).pass(1600);
  assert.equal(first.isSlow, true);
  assert.equal(first.hear(tableFrame()).isSlow, false);
  const again = gathered().happen({ kind: "closed", why: "lost", wait: 100 }).pass(100).happen({ kind: "opened" }).hear(HELLO);
  assert.equal(again.pass(1400).isSlow, false);
  assert.equal(again.pass(200).isSlow, true);
});

test("one who comes to the table is told after some seconds, and until it comes", () => {
  const page = new Page().happen({ kind: "opened" }).hear(HELLO).pass(2500);
  assert.equal(isLongComing(page.view, page.at), false);
  page.pass(1000).happen({ kind: "closed", why: "lost", wait: 100 }).pass(100);
  assert.equal(isLongComing(page.view, page.at), true);
  assert.equal(isLongComing(page.happen({ kind: "opened" }).view, page.at), true);
  assert.equal(isLongComing(page.hear(HELLO, tableFrame()).view, page.at), false);
});

test("a server that is slow stays so while the page connects anew because of it", () => {
  const page = raced().happen({ kind: "key", direction: "left" }).pass(6000).happen({ kind: "closed", why: "lost", wait: 500 });
  assert.equal(page.pass(500).isSlow, true);
  assert.equal(page.happen({ kind: "opened" }).hear(HELLO).isSlow, true);
  assert.equal(page.hear(racingTable({ phase: "racing" }), raceFrame(), { ...ANSWER, re: null }).isSlow, false);
});

test("a connection given up for its silence is slow until the next one is answered", () => {
  const page = gathered().happen({ kind: "pinged" }).pass(6000).happen({ kind: "closed", why: "lost", wait: 500 }).pass(500);
  assert.equal(page.isSlow, true);
  page.happen({ kind: "opened" }, { kind: "pinged" }).hear(HELLO, tableFrame());
  assert.equal(page.isSlow, true);
  assert.equal(page.hear({ type: "pong", t: page.at, now: NOW }).isSlow, false);
});

test("after a lost connection nothing counts as late that could not have been answered", () => {
  const page = raced().happen({ kind: "key", direction: "left" }).pass(100).happen({ kind: "closed", why: "lost", wait: 9000 });
  page.pass(9000).happen({ kind: "opened" });
  assert.equal(page.isSlow, false);
  assert.equal(page.pass(1600).isSlow, true);
});

test("a page that slept does not take its own time for the server's", () => {
  const page = gathered().happen({ kind: "pinged" });
  page.at += 4000;
  assert.equal(page.happen({ kind: "tick" }).isSlow, false);
  assert.equal(page.pass(1600).isSlow, true);
});

test("the time that others have to come back stands still while the table is not heard", () => {
  const page = gathered().pass(1000).happen({ kind: "closed", why: "lost", wait: 500 }).pass(500).happen({ kind: "opened" }).hear(HELLO).pass(300);
  assert.equal(heldAt(page.view, page.at), 1000);
  assert.equal(heldAt(page.hear(tableFrame()).view, page.at), page.at);
});

test("it stands still while the server is slow, and does not go back for it", () => {
  const page = gathered().happen({ kind: "pinged" }).pass(1500);
  assert.equal(heldAt(page.view, page.at), 1500);
  assert.equal(heldAt(page.pass(4000).view, page.at), 1500);
  assert.equal(heldAt(page.happen({ kind: "closed", why: "lost", wait: 500 }).pass(500).view, page.at), 1500);
});
