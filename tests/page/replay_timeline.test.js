import assert from "node:assert/strict";
import { test } from "node:test";
import { BadReplay, readReplay } from "../../web-gateway/src/web_gateway/page/js/replay/answer.js";
import { curvesOf } from "../../web-gateway/src/web_gateway/page/js/replay/curve.js";
import { motionsOf, positionAt, racerAt, timeAt, timelineOf } from "../../web-gateway/src/web_gateway/page/js/replay/timeline.js";
import { markWords } from "../../web-gateway/src/web_gateway/page/js/replay/words.js";
import { slide } from "../../web-gateway/src/web_gateway/page/js/engine/slide.js";
import { CASES, caseOf } from "./replay_cases.js";

/** @param {any} replay */
const laidOut = (replay) => timelineOf(readReplay(replay));

test("at its end every racer has the board, the score, the slides and the state that the engine came to", () => {
  for (const { name, replay, finals } of CASES) {
    const timeline = laidOut(replay);
    const found = timeline.lanes.map((lane) => {
      const { board, score, slides, state } = racerAt(lane, timeline.log.length);
      return { seat: lane.seat, cells: board, score, slides, state };
    });
    assert.deepEqual(found, finals, name);
  }
});

test("at its beginning all have the same board of two tiles, and no points", () => {
  const timeline = laidOut(caseOf("four race until").replay);
  const racers = timeline.lanes.map((lane) => racerAt(lane, 0));
  for (const { board, score, slides } of racers) {
    assert.deepEqual(board, racers[0].board);
    assert.deepEqual([score, slides, board.filter((exponent) => exponent > 0).length], [0, 0, 2]);
  }
});

test("the log has slides and events in the order they were committed in", () => {
  const { log } = laidOut(caseOf("left behind").replay);
  assert.deepEqual(log.map(({ type }) => type).filter((type) => type !== "slide"), ["left_behind", "resigned"]);
  assert.equal(log[18].type, "left_behind");
  assert.deepEqual(log.slice(0, 4).map((entry) => [entry.seat, entry.type === "slide" && entry.n]), [[1, 1], [2, 1], [3, 1], [1, 2]]);
});

test("a moment shows what had happened by then, and nothing that came after", () => {
  const timeline = laidOut(caseOf("four race until").replay);
  for (let ms = -100; ms <= timeline.to + 100; ms += 77) {
    const position = positionAt(timeline, ms);
    assert.equal(position, timeline.log.filter((entry) => entry.ms <= ms).length);
    const slides = timeline.lanes.map((lane) => racerAt(lane, position).slides);
    assert.deepEqual(slides, timeline.replay.seats.map((racer) => racer.slides.filter(([at]) => at <= ms).length));
  }
});

test("a position's time is that of its last entry", () => {
  const timeline = laidOut(caseOf("race to 64").replay);
  assert.equal(timeAt(timeline, 0), 0);
  assert.equal(timeAt(timeline, timeline.log.length), timeline.to);
  assert.equal(positionAt(timeline, timeAt(timeline, 40)) >= 40, true);
});

test("a slide's motions are those of the board it was made on", () => {
  const timeline = laidOut(caseOf("race to 64").replay);
  const [lane] = timeline.lanes;
  const [, direction] = timeline.replay.seats[0].slides[4];
  assert.deepEqual(motionsOf(timeline, lane, 5), slide(lane.track.after(4).board, direction)?.motions);
  assert.notEqual(motionsOf(timeline, lane, 5).length, 0);
});

test("one who resigned in the countdown is out before the start", () => {
  const timeline = laidOut(caseOf("in the countdown").replay);
  assert.deepEqual([timeline.from, timeline.to], [-1200, -1200]);
  assert.deepEqual(timeline.lanes.map((lane) => racerAt(lane, 1).state), ["sliding", "resigned"]);
  assert.equal(racerAt(timeline.lanes[1], 0).state, "sliding");
});

test("marks say what happened, to whom, and how it ended", () => {
  const { replay, marks } = laidOut(caseOf("offers are declined").replay);
  assert.deepEqual(marks.map((mark) => markWords(replay, mark)), [
    "Ann offered a draw",
    "Cy agreed to a draw",
    "Bo declined Ann's offer of a draw",
    "Ann offered a draw",
    "Cy slid on, so Ann's offer of a draw is off",
    "Bo offered a draw",
    "Bo's offer of a draw lapsed",
    "Cy offered a draw",
    "Bo agreed to a draw",
    "Ann agreed to a draw",
    "A draw between Ann, Bo and Cy: everyone agreed to a draw.",
  ]);
});

test("marks say who is stuck and who is first with a bigger tile, at the very slide", () => {
  const { replay, marks, log } = laidOut(caseOf("four race until").replay);
  const stuck = marks.filter(({ kind }) => kind === "stuck");
  assert.deepEqual(stuck.map((mark) => markWords(replay, mark)).toSorted(), ["Ann is stuck", "Bo is stuck", "Cy is stuck", "Dee is stuck"]);
  for (const { position, seat } of stuck) assert.equal(log[position - 1].seat, seat);
  const firsts = marks.filter(({ kind }) => kind === "first").map((mark) => markWords(replay, mark).replace(/^\w+ /, ""));
  assert.deepEqual(firsts, ["has the first 128", "has the first 256"]);
});

test("curves rise from nothing to each racer's part of the best score", () => {
  const found = caseOf("four race until");
  const curves = curvesOf(laidOut(found.replay));
  const best = Math.max(...found.finals.map(({ score }) => score));
  curves.forEach((curve, index) => {
    assert.deepEqual([curve[0], curve.at(-1)], [[0, 0], [1, found.finals[index].score / best]]);
    assert.deepEqual(curve, curve.toSorted(([, one], [, other]) => one - other));
  });
});

test("an answer has the link for friends, and is a race without it, too", () => {
  const { replay } = caseOf("race to 64");
  const link = "http://192.0.2.7:8080/t/K7QM2XWP/replay/1";
  assert.equal(readReplay({ ...replay, link }).link, link);
  assert.equal(readReplay(replay).link, undefined);
});

/** @type {[string, (replay: any) => unknown, RegExp][]} */
const DAMAGED = [
  ["no object", () => null, /a part of it is missing|seed/],
  ["no seed", (replay) => ({ ...replay, seed: "00" }), /seed is not 32 bytes/],
  ["no commitment", (replay) => ({ ...replay, commitment: null }), /commitment is not 32 bytes/],
  ["one racer", (replay) => ({ ...replay, seats: replay.seats.slice(1) }), /two to four racers/],
  ["no seats", (replay) => ({ ...replay, seats: [null, null] }), /a part of it is missing/],
  ["a direction of its own", (replay) => (replay.seats[0].slides[2][1] = "north", replay), /Ann's slide 3 is out of shape/],
  ["a slide more", (replay) => (replay.seats[1].slides.push([5400, "up"]), replay), /Bo has 56 slides, but the order of all slides has 55/],
  ["a slide less", (replay) => (replay.seats[1].slides.pop(), replay), /Bo has 54 slides, but the order of all slides has 55/],
  ["a stranger's slide", (replay) => (replay.order.push(4), replay), /names seat 4/],
  ["an event of no type", (replay) => ({ ...replay, events: [{ ms: 0, type: "won", seat: 1, after: 0 }] }), /event 1 is out of shape/],
  ["an event after the end", (replay) => ({ ...replay, events: [{ ms: 0, type: "resigned", seat: 1, after: 999 }] }), /event 1 is out of order/],
  ["a link that is a script", (replay) => ({ ...replay, link: "javascript:alert(1)" }), /its link is no address/],
  ["no verdict", (replay) => ({ ...replay, verdict: null }), /verdict is missing/],
  ["a winner who also tied", (replay) => ({ ...replay, verdict: { winner: 1, tied: [1, 2], reason: "TARGET" } }), /neither a win nor a draw/],
];

for (const [name, damage, words] of DAMAGED) {
  test(`an answer with ${name} is no race, and why is said`, () => {
    const tampered = damage(caseOf("race to 64").replay);
    assert.throws(() => readReplay(tampered), (/** @type {Error} */ wrong) => wrong instanceof BadReplay && words.test(wrong.message));
  });
}
