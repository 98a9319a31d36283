import assert from "node:assert/strict";
import { test } from "node:test";
import { boardOfValues, valueOf } from "../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { canSlide, slide } from "../../web-gateway/src/web_gateway/page/js/engine/slide.js";

/** @param {number[]} top @returns {import("../../web-gateway/src/web_gateway/page/js/engine/board.js").Board} a board with that top row only */
const row = (...top) => boardOfValues([...top, ...new Array(12).fill(0)]);

/** @param {number[]} values @param {"left" | "right"} direction */
const slidRow = (values, direction) => slide(row(...values), direction)?.board.slice(0, 4).map(valueOf);

test("merges are resolved from the wall, and a merged tile does not merge again", () => {
  assert.deepEqual(slidRow([2, 2, 2, 2], "left"), [4, 4, 0, 0]);
  assert.deepEqual(slidRow([2, 2, 4, 0], "left"), [4, 4, 0, 0]);
  assert.deepEqual(slidRow([2, 2, 2, 0], "left"), [4, 2, 0, 0]);
  assert.deepEqual(slidRow([2, 2, 2, 0], "right"), [0, 0, 2, 4]);
  assert.deepEqual(slidRow([4, 4, 8, 0], "left"), [8, 8, 0, 0]);
  assert.deepEqual(slidRow([8, 8, 16, 0], "right"), [0, 0, 16, 16]);
});

test("points are the values of the tiles that merges made", () => {
  assert.equal(slide(row(2, 2, 8, 8), "left")?.points, 20);
  assert.equal(slide(row(65536, 65536, 0, 0), "left")?.points, 131072);
  assert.equal(slide(row(0, 2, 0, 0), "left")?.points, 0);
});

test("a slide that changes nothing is no slide", () => {
  assert.equal(slide(row(4, 2, 0, 0), "left"), null);
  assert.equal(slide(row(4, 2, 0, 0), "up"), null);
});

test("motions go line by line and from the wall outwards, without the tiles that stay; both of a pair say that they merge", () => {
  assert.deepEqual(slide(row(2, 2, 0, 4), "left")?.motions, [[1, 0, true], [3, 1, false]]);
  assert.deepEqual(slide(row(2, 0, 2, 0), "right")?.motions, [[2, 3, true], [0, 3, true]]);
});

test("a full board is stuck only without an equal pair, across or down", () => {
  const chequered = [2, 4, 2, 4, 4, 2, 4, 2, 2, 4, 2, 4, 4, 2, 4, 2];
  assert.equal(canSlide(boardOfValues(chequered)), false);
  assert.equal(canSlide(boardOfValues([...chequered.slice(0, 14), 2, 2])), true);
  assert.equal(canSlide(boardOfValues([...chequered.slice(0, 12), 2, ...chequered.slice(13)])), true);
  assert.equal(canSlide(boardOfValues([...chequered.slice(0, 15), 0])), true);
  assert.equal(canSlide(boardOfValues([2, 4, 2, 4, 8, 16, 8, 16, 2, 4, 2, 4, 8, 16, 8, 16])), false, "the end of a row does not touch the next row");
});

test("two of the biggest tile neither merge nor keep a full board from being stuck", () => {
  const big = 131072;
  assert.equal(slide(row(big, big, 0, 0), "left"), null);
  assert.equal(canSlide(boardOfValues([big, big, 2, 4, 2, 4, 8, 2, 4, 2, 4, 8, 2, 4, 2, 4])), false);
});

test("what is no board is refused", () => {
  assert.throws(() => boardOfValues([3, ...new Array(15).fill(0)]), RangeError);
  assert.throws(() => boardOfValues([2 ** 18, ...new Array(15).fill(0)]), RangeError);
  assert.throws(() => boardOfValues([2, 2]), RangeError);
});
