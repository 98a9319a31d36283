import assert from "node:assert/strict";
import { test } from "node:test";
import { boardOfValues } from "../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { dismissed, isOver, isUnderWay, lastMotions, newGame, slideGame, undone } from "../../web-gateway/src/web_gateway/page/js/solo/game.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/solo/game.js").Game} Game */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/engine/slide.js").Direction} Direction */

/** Gives bytes that differ each time. */
function bytesInTurn() {
  let turn = 0;
  return () => new Uint8Array(16).fill((turn += 1) * 13);
}

/** @param {number[]} values @param {Partial<Game>} [more] @returns {Game} */
function gameAt(values, more = {}) {
  return { ...newGame({ mode: "classic", undo: "one" }, bytesInTurn()), board: boardOfValues(values), slides: 5, score: 100, ...more };
}

/** @param {Game} game @param {Direction} direction @param {() => Uint8Array} [fresh] @returns {Game} */
function after(game, direction, fresh = bytesInTurn()) {
  const slid = slideGame(game, direction, fresh);
  assert.ok(slid !== null, "the slide changes the board");
  return slid.game;
}

const ABOUT_TO_WIN = [1024, 1024, 0, 0, ...new Array(12).fill(0)];
/** Right makes a 2048 and leaves one cell empty, which any tile fills without a pair. */
const WIN_AND_STUCK = [1024, 1024, 16, 64, 8, 32, 128, 512, 16, 64, 8, 32, 128, 512, 16, 64];

test("a game begins with two tiles and nothing else", () => {
  const game = newGame({ mode: "endless", undo: "none" }, bytesInTurn());
  assert.equal(game.board.filter((exponent) => exponent > 0).length, 2);
  assert.deepEqual([game.score, game.slides, game.word, game.mode, game.undo], [0, 0, null, "endless", "none"]);
});

test("a slide that changes nothing uses no draw and counts for nothing", () => {
  /** @type {number[]} */
  const drawn = [];
  assert.equal(slideGame(gameAt([4, 2, ...new Array(14).fill(0)]), "left", () => (drawn.push(1), new Uint8Array(16))), null);
  assert.deepEqual(drawn, []);
});

test("sliding again after undo meets the same draw", () => {
  const fresh = bytesInTurn();
  const game = gameAt([2, 0, 0, 4, ...new Array(12).fill(0)]);
  const once = after(game, "right", fresh);
  assert.deepEqual(after(undone(once), "right", fresh), once);
});

test("the kept draw also falls when another way is slid after undo", () => {
  const fresh = bytesInTurn();
  const once = after(gameAt([2, 0, 0, 4, ...new Array(12).fill(0)]), "right", fresh);
  const kept = undone(once).kept;
  const other = after(undone(once), "down", fresh);
  assert.deepEqual(other.previous?.drawn, kept);
});

test("undo goes back one slide only, until a new one is made", () => {
  const game = gameAt([2, 2, 4, 0, ...new Array(12).fill(0)]);
  const back = undone(after(after(game, "left"), "right"));
  assert.equal(back.slides, 6);
  assert.equal(undone(back), back);
});

test("with undo set to none nothing is taken back", () => {
  const slid = after(gameAt([2, 2, 4, 0, ...new Array(12).fill(0)], { undo: "none" }), "left");
  assert.equal(undone(slid), slid);
});

test("a 2048 is said once a game, and the next slide puts it away", () => {
  const won = after(gameAt(ABOUT_TO_WIN), "left");
  assert.equal(won.word, "won");
  assert.equal(dismissed(won).word, null);
  const on = after(won, "right");
  assert.equal(on.word, null);
  const again = after({ ...on, board: boardOfValues(ABOUT_TO_WIN) }, "left");
  assert.equal(again.word, null);
});

test("a 2048 that was undone is said again when it is made again", () => {
  const back = undone(after(gameAt(ABOUT_TO_WIN), "left"));
  assert.deepEqual([back.word, back.won], [null, false]);
  assert.equal(after(back, "left").word, "won");
});

test("a 2048 is noticed in any row, gaps before it or not", () => {
  assert.equal(after(gameAt([2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1024, 1024, 0, 0, 0, 0]), "left").word, "won");
});

test("Endless says nothing of a 2048", () => {
  assert.equal(after(gameAt(ABOUT_TO_WIN, { mode: "endless" }), "left").word, null);
});

test("the winning slide that leaves the board stuck is a win, said as such, and the game is over", () => {
  const game = after(gameAt(WIN_AND_STUCK), "right");
  assert.equal(game.word, "won-stuck");
  assert.ok(isOver(game));
});

test("a losing slide can be taken back", () => {
  const game = after(gameAt(WIN_AND_STUCK, { mode: "endless" }), "right");
  assert.equal(game.word, "stuck");
  assert.equal(isOver(undone(game)), false);
});

test("only a game that was started and is not over would be lost", () => {
  assert.equal(isUnderWay(newGame({ mode: "classic", undo: "one" }, bytesInTurn())), false);
  assert.equal(isUnderWay(gameAt(ABOUT_TO_WIN)), true);
  assert.equal(isUnderWay(after(gameAt(WIN_AND_STUCK), "right")), false);
});

test("the ways of the last slide are known as long as it can be taken back", () => {
  const game = gameAt([2, 2, 4, 0, ...new Array(12).fill(0)]);
  const slid = slideGame(game, "left", bytesInTurn());
  assert.deepEqual(lastMotions(after(game, "left")), slid?.motions);
  assert.deepEqual(lastMotions(game), []);
});
