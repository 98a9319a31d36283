import assert from "node:assert/strict";
import { test } from "node:test";
import { isSlow } from "../../web-gateway/src/web_gateway/page/js/race/awaited.js";
import { bannerOf, waitingWords } from "../../web-gateway/src/web_gateway/page/js/race/banner.js";
import { reduce } from "../../web-gateway/src/web_gateway/page/js/race/reducer.js";
import { FIRST_VIEW } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { boardFrame, HELLO, racingTable, raceFrame, tableFrame } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

/** @param {...import("../../web-gateway/src/web_gateway/page/js/race/frames.js").ServerFrame} frames @returns {View} a page of build "b" */
const opened = (...frames) => [HELLO, ...frames].reduce((before, frame) => reduce(before, { kind: "frame", frame, at: 0 }), reduce({ ...FIRST_VIEW, build: "b" }, { kind: "opened", at: 0 }));

const lost = (/** @type {View} */ view) => reduce(view, { kind: "closed", why: "lost", wait: 4000, at: 1000 });

test("a connection that is well, or away for a moment, is not worth a word", () => {
  assert.equal(bannerOf(opened(tableFrame()), 0), null);
  assert.equal(bannerOf(lost(opened(tableFrame())), 1500), null);
});

test("a lost connection is said, with the next try, and that it is being tried", () => {
  const view = lost(opened(tableFrame()));
  assert.equal(bannerOf(view, 2500)?.words, "The connection is lost.");
  assert.equal(bannerOf(view, 2500)?.when, "Next try in 3 s.");
  assert.equal(bannerOf(view, 5000)?.when, "Trying again…");
  assert.equal(bannerOf(reduce(view, { kind: "opened", at: 5100 }), 5200), null);
});

test("of a table never seen it is said that the server cannot be reached", () => {
  assert.match(bannerOf(lost(FIRST_VIEW), 2500)?.words ?? "", /^The server cannot be reached/);
});

test("one who was sent away, as too much was asked from there, is told so at once, and of no outage", () => {
  const asked = reduce(opened(), { kind: "frame", at: 900, frame: { type: "refused", re: null, of: null, code: "TOO_MANY_REQUESTS", message: "Wait." } });
  const view = reduce(asked, { kind: "closed", why: "later", wait: 20_000, at: 1000 });
  assert.match(bannerOf(view, 1000)?.words ?? "", /^Too much was asked .* too many tabs/);
  assert.equal(bannerOf(view, 1000)?.when, "Next try in 20 s.");
  assert.equal(isSlow(view, 9000), false);
  assert.deepEqual(view.toasts, []);
});

test("without a network it is said to be that", () => {
  const view = reduce(lost(opened(tableFrame())), { kind: "network", online: false, at: 2000 });
  assert.match(bannerOf(view, 2500)?.words ?? "", /^You are offline\./);
  assert.doesNotMatch(bannerOf(reduce(view, { kind: "network", online: true, at: 3000 }), 3500)?.words ?? "", /offline/);
});

/** @param {View} view @param {number} times */
const failing = (view, times) => Array.from({ length: times }).reduce((/** @type {View} */ before) => reduce(before, { kind: "closed", why: "lost", wait: 4000, at: 1000 }), view);

test("handshakes that fail are counted from the first one on, unless one has passed before", () => {
  assert.equal(failing(FIRST_VIEW, 3).lost?.failed, 3);
  assert.equal(failing(opened(tableFrame()), 3).lost?.failed, 0);
  assert.equal(reduce(failing(FIRST_VIEW, 3), { kind: "opened", at: 1100 }).lost, null);
});

test("where HTTP is answered and no handshake it is said that something in between passes no WebSockets, and what can be done", () => {
  const view = reduce(failing(FIRST_VIEW, 3), { kind: "looked", answers: true, at: 1100 });
  assert.equal(bannerOf(view, 2500)?.words, "The server answers, but no WebSocket gets through to it.");
  assert.match(waitingWords(view), /^Something in between .* have the proxy in front pass WebSockets on/);
  assert.match(bannerOf(failing(view, 1), 2500)?.words ?? "", /no WebSocket gets through/);
});

test("where HTTP is not answered either, or no longer, the server is away", () => {
  const view = reduce(failing(FIRST_VIEW, 3), { kind: "looked", answers: true, at: 1100 });
  const away = reduce(view, { kind: "looked", answers: false, at: 1200 });
  assert.match(bannerOf(away, 2500)?.words ?? "", /^The server cannot be reached/);
  assert.match(waitingWords(away), /^The server is not answering/);
  assert.equal(reduce(opened(tableFrame()), { kind: "looked", answers: true, at: 1300 }).lost, null);
});

test("one who comes without a network, or was sent away, is told nothing of a server that does not answer", () => {
  const offline = { ...FIRST_VIEW, offline: true };
  assert.equal(waitingWords(offline), "You are offline.");
  assert.equal(waitingWords(lost(offline)), "");
  assert.equal(waitingWords(reduce(opened(), { kind: "closed", why: "later", wait: 20_000, at: 1000 })), "");
});

test("one who races is told how many moves wait", () => {
  const racing = lost(opened(racingTable({ phase: "racing" }), raceFrame(), boardFrame()));
  assert.equal(bannerOf(racing, 2500)?.when, "Your moves are kept. Next try in 3 s.");
  const pressed = reduce(racing, { kind: "key", direction: "left", at: 2600 });
  assert.equal(bannerOf(pressed, 2700)?.when, "1 move kept. Next try in 3 s.");
  assert.equal(bannerOf(reduce(pressed, { kind: "key", direction: "down", at: 2700 }), 5000)?.when, "2 moves kept. Trying again…");
});

test("how long it has been lost counts from the first failure", () => {
  const again = reduce(lost(opened(tableFrame())), { kind: "closed", why: "lost", wait: 500, at: 1600 });
  assert.notEqual(bannerOf(again, 2100), null);
});

test("a newer version is said once, and never during a race", () => {
  const newer = { ...HELLO, build: "c" };
  const view = reduce(opened(tableFrame()), { kind: "frame", frame: newer, at: 1 });
  assert.equal(bannerOf(view, 1)?.kind, "newer");
  const later = reduce(view, { kind: "later", at: 2 });
  assert.equal(bannerOf(later, 2), null);
  assert.equal(bannerOf(reduce(later, { kind: "frame", frame: newer, at: 3 }), 3), null);
  assert.equal(bannerOf(reduce(view, { kind: "frame", frame: racingTable({ version: 9 }), at: 4 }), 4), null);
});

test("a browser that keeps no cookies is told what that costs, until that is put off", () => {
  const view = { ...opened(tableFrame()), cookies: /** @type {const} */ ("blocked") };
  assert.match(bannerOf(view, 1)?.words ?? "", /^Your browser keeps no cookies/);
  assert.equal(bannerOf(reduce(view, { kind: "later", at: 2 }), 2), null);
  assert.equal(bannerOf({ ...view, ...reduce(view, { kind: "frame", frame: racingTable({ version: 9 }), at: 4 }) }, 4), null);
});

test("a page that is open beside its https address is told where that is", () => {
  const at = (/** @type {string} */ link) => reduce({ ...FIRST_VIEW, build: "b", cookies: "insecure" }, { kind: "frame", frame: { ...HELLO, link }, at: 0 });
  const banner = bannerOf(at("https://race.example.org/t/K7QM2XWP"), 1);
  assert.match(banner?.words ?? "", /https:\/\/race\.example\.org\. Here your browser loses your seat/);
  assert.deepEqual(banner?.choices.map(({ event }) => event), ["move", "later"]);
  assert.equal(bannerOf(at("http://192.168.1.7:8048/t/K7QM2XWP"), 1), null);
});
