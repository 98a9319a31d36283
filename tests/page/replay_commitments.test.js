import assert from "node:assert/strict";
import { test } from "node:test";
import { Commitments } from "../../web-gateway/src/web_gateway/page/js/race/commitments.js";
import { FIRST_VIEW } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { boardFrame, raceFrame, racingTable } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").RevealFrame} RevealFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

const TABLE = "K7QM2XWP";
const VERDICT = { winner: 1, tied: [], reason: /** @type {const} */ ("TARGET") };
const DEALT = { rules: { target: 2048, clock_s: null }, racers: [{ seat: 1, name: "Ann" }, { seat: 2, name: "Ben" }] };
const BOARDS = [1, 2].map((seat) => ({ seat, cells: [2048, 4, ...Array(14).fill(0)] }));

/** @param {string} [kept] @returns {{getItem: () => string | null, setItem: (key: string, kept: string) => void}} */
function shelf(kept) {
  let held = kept ?? null;
  return { getItem: () => held, setItem: (_, text) => (held = text) };
}

/** @param {number} number @returns {View} a race that runs */
const running = (number) => ({ ...FIRST_VIEW, table: racingTable({}, number), race: raceFrame({ race: number }) });

/** @param {number} number @returns {View} the same race, over */
function over(number) {
  /** @type {RevealFrame} */
  const reveal = { type: "reveal", race: number, seed: "00", boards: BOARDS };
  return { ...running(number), race: raceFrame({ race: number, verdict: VERDICT }), reveal };
}

test("what a running race was dealt with is kept, for each table and race", () => {
  const commitments = new Commitments(() => store);
  const store = shelf();
  commitments.keep(running(1));
  commitments.keep(running(2));
  assert.deepEqual(commitments.of(TABLE, 1), { commitment: "c1", dealt: DEALT, finals: [] });
  assert.deepEqual(commitments.of(TABLE, 2), { commitment: "c2", dealt: DEALT, finals: [] });
  assert.equal(commitments.of(TABLE, 3), null);
  assert.equal(commitments.of("K7QM2XWQ", 1), null);
  assert.deepEqual(new Commitments(() => store).of(TABLE, 1), commitments.of(TABLE, 1));
});

test("the boards shown at the end are kept with it", () => {
  const store = shelf();
  const commitments = new Commitments(() => store);
  commitments.keep(running(1));
  commitments.keep(over(1));
  assert.deepEqual(commitments.of(TABLE, 1), { commitment: "c1", dealt: DEALT, finals: BOARDS });
});

test("the tiles that came to one's own board are kept with it", () => {
  const store = shelf();
  const commitments = new Commitments(() => store);
  commitments.keep(running(1));
  for (const [n, cell, value] of [[1, 15, 4], [2, 0, 2]]) {
    for (let times = 0; times < 2; times += 1) commitments.keep({ ...running(1), board: boardFrame({ n, tile: { cell, value } }) });
  }
  commitments.keep({ ...over(1), board: boardFrame({ n: 2 }) });
  assert.deepEqual(commitments.of(TABLE, 1)?.own, { seat: 1, from: 1, tiles: "v0" });
});

test("the rules and racers kept are those shown first, whatever is shown later", () => {
  const store = shelf();
  new Commitments(() => store).keep(running(1));
  const view = over(1);
  const table = /** @type {NonNullable<View["table"]>} */ (view.table);
  const race = { .../** @type {NonNullable<typeof table.race>} */ (table.race), rules: { target: 64, clock_s: null } };
  new Commitments(() => store).keep({ ...view, table: { ...table, race } });
  assert.deepEqual(new Commitments(() => store).of(TABLE, 1), { commitment: "c1", dealt: DEALT, finals: BOARDS });
});

test("what a release before this one kept is still compared with", () => {
  const store = shelf(JSON.stringify([[`${TABLE}/1`, { commitment: "c1", finals: BOARDS }]]));
  assert.deepEqual(new Commitments(() => store).of(TABLE, 1), { commitment: "c1", finals: BOARDS });
});

test("a commitment first shown after the end proves nothing, and is not kept", () => {
  const store = shelf();
  const commitments = new Commitments(() => store);
  commitments.keep(over(1));
  assert.equal(commitments.of(TABLE, 1), null);
});

test("before the news of the race has come it is not known whether it is over, and nothing is kept", () => {
  const store = shelf();
  const commitments = new Commitments(() => store);
  commitments.keep({ ...running(1), race: null });
  assert.equal(commitments.of(TABLE, 1), null);
});

test("the first commitment counts, whatever is shown later", () => {
  const store = shelf();
  new Commitments(() => store).keep(running(1));
  const view = running(1);
  const table = /** @type {NonNullable<View["table"]>} */ (view.table);
  const race = { .../** @type {NonNullable<typeof table.race>} */ (table.race), commitment: "other" };
  new Commitments(() => store).keep({ ...view, table: { ...table, race } });
  assert.equal(new Commitments(() => store).of(TABLE, 1)?.commitment, "c1");
});

test("of many races the last fifty are kept", () => {
  const store = shelf();
  const commitments = new Commitments(() => store);
  for (let number = 1; number <= 60; number += 1) commitments.keep(running(number));
  assert.equal(commitments.of(TABLE, 10), null);
  assert.equal(commitments.of(TABLE, 11)?.commitment, "c11");
  assert.equal(commitments.of(TABLE, 60)?.commitment, "c60");
});

test("the same news again writes nothing", () => {
  let writes = 0;
  const store = { getItem: () => null, setItem: () => (writes += 1) };
  const commitments = new Commitments(() => store);
  for (let times = 0; times < 5; times += 1) commitments.keep(running(1));
  assert.equal(writes, 1);
});

test("a storage that throws or holds anything at all does no harm", () => {
  const broken = new Commitments(() => { throw new Error("denied"); });
  broken.keep(running(1));
  assert.equal(broken.of(TABLE, 1), null);
  for (const kept of ["{", "{}", "null", '[[1,2],["a/1"],["K7QM2XWP/1",{"commitment":7,"finals":[]}],null]', '[["K7QM2XWP/1",{"commitment":"c","finals":[{"seat":1,"cells":[1]}]}]]',
    '[["K7QM2XWP/1",{"commitment":"c","finals":[],"own":{"seat":1,"from":0,"tiles":"v"}}]]', '[["K7QM2XWP/1",{"commitment":"c","finals":[],"own":{"seat":1,"from":1,"tiles":"<b>"}}]]',
    '[["K7QM2XWP/1",{"commitment":"c","finals":[],"dealt":{"rules":{},"racers":[]}}]]', '[["K7QM2XWP/1",{"commitment":"c","finals":[],"dealt":{"rules":{"target":null,"clock_s":null},"racers":[7]}}]]']) {
    const commitments = new Commitments(() => shelf(kept));
    assert.equal(commitments.of(TABLE, 1), null, kept);
    commitments.keep(running(1));
  }
});
