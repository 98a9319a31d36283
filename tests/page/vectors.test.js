import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromHex } from "../../web-gateway/src/web_gateway/page/js/engine/bytes.js";
import { commitmentOf, drawsOf } from "../../web-gateway/src/web_gateway/page/js/engine/draws.js";
import { replayRacer } from "../../web-gateway/src/web_gateway/page/js/engine/racer.js";
import { canSlide, DIRECTIONS, slide } from "../../web-gateway/src/web_gateway/page/js/engine/slide.js";

/** @param {string} name @returns {any[]} the cases that the engine is held to, too; engine/vectors/make.py says where they come from */
const casesOf = (name) => JSON.parse(readFileSync(new URL(`../../engine/vectors/${name}.json`, import.meta.url), "utf8")).cases;

/** @param {number} half @returns {string} */
const hex = (half) => half.toString(16).padStart(8, "0");

test("every slide of the shared vectors makes the same board, points and motions", () => {
  const cases = casesOf("slides");
  assert.ok(cases.length > 0);
  for (const { name, cells, direction, after } of cases) {
    const slid = slide(cells, direction);
    assert.deepEqual(slid && { cells: slid.board, points: slid.points, motions: slid.motions }, after, name);
  }
});

test("every board of the shared vectors is stuck or not alike", () => {
  for (const { name, cells, can_slide: can } of casesOf("slides")) assert.equal(canSlide(cells), can, name);
});

test("every seed of the shared vectors gives the same commitment and draws", () => {
  for (const { seed, commitment, draws } of casesOf("draws")) {
    const drawn = drawsOf(fromHex(seed));
    assert.equal(commitmentOf(fromHex(seed)), commitment);
    for (const { k, exponent, fraction } of draws) {
      const draw = drawn(k);
      assert.deepEqual([draw.exponent, hex(draw.high) + hex(draw.low)], [exponent, fraction], `draw ${k} of ${seed}`);
    }
  }
});

test("every race of the shared vectors replays to the same board and score", () => {
  for (const { seed, slides, cells, score, stuck } of casesOf("races")) {
    const racer = replayRacer(fromHex(seed), slides);
    assert.deepEqual([racer.board, racer.score, racer.slides, !canSlide(racer.board)], [cells, score, slides.length, stuck], seed);
  }
});

test("a replay with a slide that changes nothing is refused", () => {
  const seed = new Uint8Array(32);
  const useless = DIRECTIONS.find((direction) => slide(replayRacer(seed, ["up"]).board, direction) === null);
  assert.ok(useless !== undefined);
  assert.throws(() => replayRacer(seed, ["up", useless]), RangeError);
});
