import assert from "node:assert/strict";
import { test } from "node:test";
import { OwnTiles, tilesOf } from "../../web-gateway/src/web_gateway/page/js/race/own-tiles.js";

const RACE = "K7QM2XWP/1";

/** @param {number} n @param {number} cell @param {number} [value] */
const came = (n, cell, value = 2) => ({ n, tile: { cell, value } });

/** @param {number} n */
const snapshot = (n) => ({ n, tile: null });

/** @param {readonly {n: number, tile: {cell: number, value: number} | null}[]} frames @param {string} [race] */
function noted(frames, race = RACE) {
  const tiles = new OwnTiles();
  for (const frame of frames) tiles.note(race, frame);
  const seen = tiles.seen(RACE, 1);
  return seen === undefined ? [] : tilesOf(seen).map(({ n, cell, value }) => [n, cell, value]);
}

test("each tile is noted with its slide, cell and value", () => {
  assert.deepEqual(noted([snapshot(0), came(1, 15, 4), came(2, 0), came(3, 7)]), [[1, 15, 4], [2, 0, 2], [3, 7, 2]]);
});

test("a frame that comes again is noted once, and so is a snapshot of the same board", () => {
  assert.deepEqual(noted([came(1, 3), came(1, 3), snapshot(1), came(2, 4), snapshot(2)]), [[1, 3, 2], [2, 4, 2]]);
});

test("tiles that came before a gap, as over a reload, are left out", () => {
  assert.deepEqual(noted([came(1, 3), snapshot(8), came(9, 4), came(10, 5)]), [[9, 4, 2], [10, 5, 2]]);
});

test("where the board falls back, what came after it is forgotten", () => {
  assert.deepEqual(noted([came(1, 3), came(2, 4), came(3, 5), snapshot(1), came(2, 6)]), [[1, 3, 2], [2, 6, 2]]);
  assert.deepEqual(noted([came(5, 3), came(6, 4), snapshot(2), came(3, 6)]), [[3, 6, 2]]);
});

test("another race begins anew, and nothing is told of one without a tile", () => {
  assert.deepEqual(noted([came(1, 3)], "K7QM2XWP/2"), []);
  assert.deepEqual(noted([snapshot(0)]), []);
});
