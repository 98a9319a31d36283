import assert from "node:assert/strict";
import { test } from "node:test";
import { boardOfValues } from "../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { newGame } from "../../web-gateway/src/web_gateway/page/js/solo/game.js";
import { hintOf, messageOf } from "../../web-gateway/src/web_gateway/page/js/solo/words.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/solo/game.js").Game} Game */

/** @param {Partial<Game>} [more] @returns {Game} */
const gameWith = (more = {}) => ({ ...newGame({ mode: "classic", undo: "one" }, () => new Uint8Array(16).fill(9)), ...more });
const AGAIN = { isFirst: false, hasKeys: true };
/** @param {number} first @returns {readonly number[]} */
const boardWith = (first) => boardOfValues([first, 2, ...new Array(14).fill(0)]);

test("on the first visit the hint says how, as the device has it, and what for", () => {
  assert.equal(hintOf(gameWith(), { isFirst: true, hasKeys: false }), "Swipe to slide all tiles. Two equal ones become one. Make a 2048!");
  assert.match(hintOf(gameWith(), { isFirst: true, hasKeys: true }), /^Arrow keys or W A S D /);
});

test("later it says what for, and with a keyboard how to take a slide back", () => {
  assert.equal(hintOf(gameWith(), AGAIN), "Make a 2048!");
  assert.equal(hintOf(gameWith({ slides: 3 }), AGAIN), "Make a 2048! U takes a slide back.");
  assert.equal(hintOf(gameWith({ slides: 3, undo: "none" }), AGAIN), "Make a 2048!");
  assert.equal(hintOf(gameWith({ slides: 3 }), { isFirst: false, hasKeys: false }), "Make a 2048!");
  assert.equal(hintOf(gameWith({ mode: "endless" }), AGAIN), "Play until no slide is left.");
});

test("after 2048 it names the next tile, up to the biggest", () => {
  const touch = { isFirst: false, hasKeys: false };
  assert.equal(hintOf(gameWith({ won: true, board: boardWith(4096) }), touch), "Next: 8192.");
  assert.equal(hintOf(gameWith({ won: true, board: boardWith(131072) }), touch), "There is no bigger tile than yours.");
});

test("after the end it says how to go on, and nothing that can no longer be done", () => {
  for (const over of [gameWith({ word: "stuck", slides: 9 }), gameWith({ word: "won-stuck", won: true, slides: 9 }), gameWith({ word: "stuck", mode: "endless", slides: 9 })]) {
    for (const hasKeys of [true, false]) assert.equal(hintOf(over, { isFirst: false, hasKeys }), "New game starts the next one.");
  }
});

test("the message says a win, the end, or both", () => {
  assert.equal(messageOf(gameWith()), null);
  assert.deepEqual(messageOf(gameWith({ word: "won" }))?.over, false);
  assert.equal(messageOf(gameWith({ word: "stuck", score: 12345, board: boardWith(1024) }))?.words, "No slide is left. 12,345 points, biggest tile 1024.");
  const both = messageOf(gameWith({ word: "won-stuck", score: 20000 }));
  assert.deepEqual([both?.title, both?.over], ["You made 2048!", true]);
});
