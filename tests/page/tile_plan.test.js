import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_TILES, planBack, planTiles } from "../../web-gateway/src/web_gateway/page/js/elements/tile-plan.js";
import { drawsOf, place } from "../../web-gateway/src/web_gateway/page/js/engine/draws.js";
import { racerAtStart } from "../../web-gateway/src/web_gateway/page/js/engine/racer.js";
import { DIRECTIONS, slide } from "../../web-gateway/src/web_gateway/page/js/engine/slide.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/elements/tile-plan.js").Plan} Plan */

/** @param {number[]} top @returns {number[]} exponents, with that top row */
const row = (...top) => [...top, ...new Array(12).fill(0)];

/** @param {Plan} plan @returns {number[]} */
function shown(plan) {
  const cells = new Array(16).fill(0);
  for (const { cell, exponent } of plan.tiles) cells[cell] = exponent;
  return cells;
}

/** @param {Plan} plan @returns {[number, number, number][]} by cell */
const tilesOf = (plan) => [...plan.tiles].sort((one, other) => one.cell - other.cell).map(({ key, cell, exponent }) => [key, cell, exponent]);

test("tiles that travel keep their keys, and the drawn one is new", () => {
  const before = planTiles(NO_TILES, row(0, 1, 0, 2), []);
  const after = planTiles(before, row(1, 2, 0, 1), [[1, 0, false], [3, 1, false]]);
  assert.deepEqual(tilesOf(after), [[1, 0, 1], [2, 1, 2], [3, 3, 1]]);
});

test("of two tiles that merge the one from farther away becomes theirs, and hosts the other", () => {
  const before = planTiles(NO_TILES, row(1, 0, 0, 1), []);
  const after = planTiles(before, row(2, 0, 0, 0), [[3, 0, true]]);
  assert.deepEqual(tilesOf(after), [[2, 0, 2]]);
  assert.deepEqual(after.ghosts, [{ key: 1, host: 2 }]);
});

test("two pairs in one line merge each by itself", () => {
  const before = planTiles(NO_TILES, row(1, 1, 1, 1), []);
  const after = planTiles(before, row(2, 2, 0, 0), [[1, 0, true], [2, 1, true], [3, 1, true]]);
  assert.deepEqual(tilesOf(after), [[2, 0, 2], [4, 1, 2]]);
  assert.deepEqual(after.ghosts, [{ key: 3, host: 4 }, { key: 1, host: 2 }]);
});

test("ghosts are those of one step only", () => {
  const merged = planTiles(planTiles(NO_TILES, row(1, 0, 0, 1), []), row(2, 0, 0, 0), [[3, 0, true]]);
  assert.deepEqual(planTiles(merged, row(0, 0, 0, 2), [[0, 3, false]]).ghosts, []);
});

test("a tile that fits nowhere goes without a host", () => {
  const before = planTiles(NO_TILES, row(1, 0, 0, 3), []);
  assert.deepEqual(planTiles(before, row(1, 0, 0, 0), []).ghosts, [{ key: 2, host: null }]);
});

test("a correction moves the nearest tile of the same value", () => {
  const before = planTiles(NO_TILES, row(1, 0, 0, 3), []);
  const after = planTiles(before, row(0, 1, 0, 3), []);
  assert.deepEqual(after.tiles.map(({ key, cell }) => [key, cell]), [[2, 3], [1, 1]]);
});

test("a merge that is taken back comes apart where it was made", () => {
  const before = planTiles(planTiles(NO_TILES, row(1, 0, 0, 1), []), row(2, 0, 1, 0), [[3, 0, true]]);
  const after = planBack(before, row(1, 0, 0, 1), [[3, 0, true]]);
  assert.deepEqual(tilesOf(after), [[4, 0, 1], [2, 3, 1]]);
  assert.deepEqual(after.ghosts, [{ key: 3, host: null }]);
});

test("taken back, every tile that went somewhere comes from there, and only the drawn one goes", () => {
  const draws = drawsOf(new Uint8Array(32).fill(3));
  let { board } = racerAtStart(draws);
  let plan = planTiles(NO_TILES, board, []);
  for (let step = 0; step < 200; step += 1) {
    const slid = slide(board, DIRECTIONS[step % 4]);
    if (slid === null) continue;
    const next = place(slid.board, draws(step + 2));
    const before = plan;
    plan = planTiles(plan, next, slid.motions);
    const back = planBack(plan, board, slid.motions);
    assert.deepEqual(shown(back), [...board]);
    assert.equal(back.ghosts.length, 1);
    const stayed = tilesOf(before).filter(([key]) => plan.tiles.some((tile) => tile.key === key));
    for (const tile of stayed) assert.deepEqual(tilesOf(back).find(([key]) => key === tile[0]), tile);
    board = next;
  }
});

test("whatever ways are given, the tiles are those of the board in the end", () => {
  const draws = drawsOf(new Uint8Array(32).fill(8));
  let { board } = racerAtStart(draws);
  let plan = planTiles(NO_TILES, board, []);
  for (let step = 0; step < 200; step += 1) {
    const slid = slide(board, DIRECTIONS[step % 4]);
    if (slid === null) continue;
    board = place(slid.board, draws(step + 2));
    plan = planTiles(plan, board, step % 3 === 0 ? [] : slid.motions);
    assert.deepEqual(shown(plan), [...board]);
    assert.equal(new Set(plan.tiles.map(({ key }) => key)).size, plan.tiles.length);
  }
});
