import assert from "node:assert/strict";
import { test } from "node:test";
import { momentsBetween } from "../../web-gateway/src/web_gateway/page/js/race/moments.js";
import { pressedSlide, toldSlide } from "../../web-gateway/src/web_gateway/page/js/race/own-slide.js";
import { reduce } from "../../web-gateway/src/web_gateway/page/js/race/reducer.js";
import { spoken } from "../../web-gateway/src/web_gateway/page/js/race/spoken.js";
import { titleOf } from "../../web-gateway/src/web_gateway/page/js/race/title.js";
import { FIRST_VIEW } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { boardFrame, HELLO, NOW, raceFrame, racingTable, tableFrame } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").ServerFrame} ServerFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").TableFrame} TableFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

/** @param {View} view @param {...ServerFrame} frames at local time 0, when the store's clock says NOW @returns {View} */
const hearing = (view, ...frames) => frames.reduce((before, frame) => reduce(before, { kind: "frame", frame, at: 0 }), view);

/** @param {...ServerFrame} frames @returns {View} */
const opened = (...frames) => hearing(reduce(FIRST_VIEW, { kind: "opened", at: 0 }), HELLO, ...frames);

const inCountdown = () => opened(racingTable(), raceFrame(), boardFrame());

/** @param {number} clock_s @returns {View} a race that began at NOW + 3000 */
function against(clock_s) {
  const table = racingTable({ phase: "racing" });
  const race = table.race && { ...table.race, rules: { target: null, clock_s }, deadline: NOW + 3000 + clock_s * 1000 };
  return opened({ ...table, race }, raceFrame(), boardFrame());
}

/** @param {View} view @param {number} from @param {number} to local milliseconds */
const passing = (view, from, to) => momentsBetween({ view, at: from }, { view, at: to });

/** @param {View} before @param {View} after @param {number} [at] */
const kinds = (before, after, at = 5000) => momentsBetween({ view: before, at }, { view: after, at }).map(({ kind }) => kind);

test("each second of the countdown comes once, and then it goes", () => {
  const view = inCountdown();
  assert.deepEqual(passing(view, 950, 1050), [{ kind: "count", seconds: 2 }]);
  assert.deepEqual(passing(view, 1050, 1150), []);
  assert.deepEqual(passing(view, 2950, 3000), [{ kind: "go" }]);
});

test("time left is said at a minute, half a minute and ten seconds, and nothing in between", () => {
  const view = against(180);
  const said = (/** @type {number} */ from, /** @type {number} */ to) => passing(view, from, to).map((moment) => spoken(moment, view));
  assert.deepEqual(said(122_950, 123_050), ["1 minute left."]);
  assert.deepEqual(said(152_950, 153_050), ["30 seconds left."]);
  assert.deepEqual(said(172_950, 173_050), ["10 seconds left."]);
  assert.deepEqual(said(173_050, 174_050), []);
});

test("a tab that slept past several marks says the last one only", () => {
  assert.deepEqual(passing(against(180), 100_000, 174_000), [{ kind: "left", seconds: 10 }]);
});

test("a rival's big tile is a moment, a small one is not, nor is one's own", () => {
  const before = hearing(inCountdown(), racingTable({ version: 7, phase: "racing" }));
  const grown = (/** @type {number} */ seat, /** @type {number} */ biggest) => hearing(before, raceFrame({ version: 2, standings: raceFrame().standings.map((one) => (one.seat === seat ? { ...one, biggest } : one)) }));
  assert.deepEqual(kinds(before, grown(2, 1024)), ["biggest"]);
  assert.deepEqual(kinds(before, grown(2, 256)), []);
  assert.deepEqual(kinds(before, grown(1, 1024)), []);
  assert.equal(spoken({ kind: "biggest", seat: 2, biggest: 1024 }, before), "Ben has made a 1024.");
});

test("the verdict is a moment once, and none for one who comes to a race that is over", () => {
  const running = hearing(inCountdown(), racingTable({ version: 7, phase: "racing" }));
  const over = hearing(running, raceFrame({ version: 2, verdict: { winner: 1, tied: [], reason: "TIME_UP" } }));
  assert.deepEqual(kinds(running, over), ["over"]);
  assert.deepEqual(kinds(over, over), []);
  assert.deepEqual(kinds(opened(racingTable({ phase: "finished" })), over), []);
  assert.equal(spoken({ kind: "over" }, over), "You won! Time is up; highest score.");
});

test("a friend who sits down, another's offer and being stuck are moments", () => {
  const free = tableFrame().seats.map((seat) => (seat.seat === 2 ? { seat: 2, name: null } : seat));
  assert.deepEqual(kinds(opened(tableFrame({ seats: free })), opened(tableFrame())), ["sat"]);
  const running = hearing(inCountdown(), racingTable({ version: 7, phase: "racing" }));
  const offered = (/** @type {number} */ by) => hearing(running, raceFrame({ version: 2, offer: { by, agreed: [by], until: NOW + 30_000 } }));
  assert.deepEqual(kinds(running, offered(2)), ["offer"]);
  assert.deepEqual(kinds(running, offered(1)), []);
  assert.deepEqual(kinds(running, hearing(running, boardFrame({ n: 9, stuck: true }))), ["stuck"]);
});

test("a key is heard at once with what its slide makes, and its answer is said with the tile that came", () => {
  const before = hearing(opened(racingTable({ phase: "racing" }), raceFrame(), boardFrame({ cells: [2, 2, 4, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] })));
  const after = reduce(before, { kind: "key", direction: "left", at: 5000 });
  assert.deepEqual(pressedSlide(before, after), { points: 12, biggest: 8 });
  assert.equal(pressedSlide(after, reduce(after, { kind: "tick", at: 5100 })), null);
  const answered = hearing(after, boardFrame({ n: 1, cells: [4, 8, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0], score: 12, slide: { direction: "left", points: 12, motions: [[0, 0, true], [1, 0, true], [2, 1, true], [3, 1, true]] }, tile: { cell: 11, value: 2 }, re: "s1" }));
  assert.deepEqual(toldSlide(after, answered), { made: [4, 8], score: 12, record: false, came: { cell: 11, value: 2 } });
  assert.equal(toldSlide(answered, answered), null);
});

test("the title tells a tab in the background how things stand", () => {
  const gathering = (/** @type {Partial<TableFrame>} */ more) => titleOf(opened(tableFrame(more)), 0);
  const unready = tableFrame().seats.map((seat) => (seat.seat === 2 ? { ...seat, ready: false } : seat));
  assert.equal(gathering({}), "Ben is ready – tilerace");
  assert.equal(gathering({ seats: unready, you: { seat: 2, host: false } }), "Press Ready – tilerace");
  assert.equal(gathering({ seats: [tableFrame().seats[0]] }), "Waiting for friends – tilerace");
  assert.equal(titleOf(inCountdown(), 0), "Get ready – tilerace");
  assert.equal(titleOf(against(180), 63_000), "2:00 racing – tilerace");
  assert.equal(titleOf(reduce(against(180), { kind: "closed", why: "lost", at: 1 }), 1), "Reconnecting – tilerace");
  assert.equal(titleOf(hearing(inCountdown(), raceFrame({ version: 2, verdict: { winner: 2, tied: [], reason: "TIME_UP" } })), 5000), "Ben won – tilerace");
});
