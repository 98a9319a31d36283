import assert from "node:assert/strict";
import { test } from "node:test";
import { newGame, slideGame } from "../../web-gateway/src/web_gateway/page/js/solo/game.js";
import { FIRST_CHOICE, KEY, SoloStorage } from "../../web-gateway/src/web_gateway/page/js/solo/storage.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/solo/storage.js").Shelf} Shelf */

/** @param {Record<string, string>} [kept] */
function shelfWith(kept = {}) {
  const map = new Map(Object.entries(kept));
  return {
    map,
    getItem: (/** @type {string} */ key) => map.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void map.set(key, value),
    removeItem: (/** @type {string} */ key) => void map.delete(key),
  };
}

function slidGame() {
  const fresh = () => new Uint8Array(16).fill(77);
  const game = newGame({ mode: "classic", undo: "one" }, fresh);
  for (const direction of /** @type {const} */ (["left", "up", "right", "down"])) {
    const slid = slideGame(game, direction, fresh);
    if (slid !== null) return slid.game;
  }
  throw new Error("no slide is left");
}

/** @param {(kept: any) => unknown} spoil @returns {SoloStorage} a storage whose game was tampered with */
function spoilt(spoil) {
  const shelf = shelfWith();
  new SoloStorage(() => shelf).keepGame(slidGame());
  const kept = JSON.parse(shelf.map.get(KEY.game) ?? "");
  shelf.map.set(KEY.game, JSON.stringify(spoil(kept) ?? kept));
  return new SoloStorage(() => shelf);
}

test("a game comes back exactly, with what undo needs", () => {
  const shelf = shelfWith();
  const game = slidGame();
  assert.equal(new SoloStorage(() => shelf).keepGame(game), true);
  assert.deepEqual(new SoloStorage(() => shelf).game(), game);
});

test("a kept draw comes back with the game", () => {
  const shelf = shelfWith();
  const game = { ...slidGame(), previous: null, kept: new Uint8Array(16).fill(5) };
  new SoloStorage(() => shelf).keepGame(game);
  assert.deepEqual(new SoloStorage(() => shelf).game(), game);
});

test("storage that throws leaves the game playable and says that nothing was kept", () => {
  const storage = new SoloStorage(() => {
    throw new DOMException("denied", "SecurityError");
  });
  assert.equal(storage.game(), null);
  assert.deepEqual(storage.best(), { classic: 0, endless: 0 });
  assert.deepEqual(storage.choice(), FIRST_CHOICE);
  assert.equal(storage.keepGame(slidGame()), false);
});

test("full storage says that nothing was kept, and what was there is still read", () => {
  const shelf = { ...shelfWith({ [KEY.best]: '{"classic":2000,"endless":0}' }), setItem: () => { throw new DOMException("full", "QuotaExceededError"); } };
  const storage = new SoloStorage(() => shelf);
  assert.equal(storage.keepBest({ classic: 3000, endless: 0 }), false);
  assert.equal(storage.best().classic, 2000);
});

test("half a JSON is no game, and the best score beside it is kept", () => {
  const storage = new SoloStorage(() => shelfWith({ [KEY.game]: '{"board":[1,2', [KEY.best]: '{"classic":512,"endless":64}' }));
  assert.equal(storage.game(), null);
  assert.deepEqual(storage.best(), { classic: 512, endless: 64 });
});

test("each best score is read by itself", () => {
  const storage = new SoloStorage(() => shelfWith({ [KEY.best]: '{"classic":-5,"endless":64}' }));
  assert.deepEqual(storage.best(), { classic: 0, endless: 64 });
});

test("a game that could not have been played is not taken up", () => {
  const faults = {
    "half a tile": (/** @type {any} */ kept) => void (kept.board[0] = 1.5),
    "a tile beyond the biggest": (/** @type {any} */ kept) => void (kept.board[0] = 18),
    "fifteen cells": (/** @type {any} */ kept) => void kept.board.pop(),
    "a single tile": (/** @type {any} */ kept) => void kept.board.fill(0, 1),
    "a negative score": (/** @type {any} */ kept) => void (kept.score = -4),
    "a score that no game has": (/** @type {any} */ kept) => void (kept.score = Number.MAX_SAFE_INTEGER),
    "a score in words": (/** @type {any} */ kept) => void (kept.score = "400"),
    "another kind of game": (/** @type {any} */ kept) => void (kept.mode = "chess"),
    "another version's format": (/** @type {any} */ kept) => void (kept.format = 2),
    "over though it can be slid on": (/** @type {any} */ kept) => void (kept.word = "stuck"),
    "won without a 2048": (/** @type {any} */ kept) => void (kept.won = true),
    "a win that was not won": (/** @type {any} */ kept) => void (kept.word = "won"),
    "a message of its own": (/** @type {any} */ kept) => void (kept.word = "hello"),
    "a board of the values": (/** @type {any} */ kept) => void (kept.board = kept.board.map((/** @type {number} */ exponent) => (exponent === 0 ? 0 : 2 ** exponent) * 16)),
    "no board": (/** @type {any} */ kept) => void delete kept.board,
    "a list": () => [1, 2, 3],
    "a number": () => 7,
  };
  for (const [fault, spoil] of Object.entries(faults)) assert.equal(spoilt(spoil).game(), null, fault);
});

test("an undo that does not fit is left out, and the game goes on", () => {
  const faults = {
    "spoilt bytes": (/** @type {any} */ kept) => void (kept.previous.drawn = "zz"),
    "of another game": (/** @type {any} */ kept) => void (kept.previous.slides = 40),
    "with a higher score": (/** @type {any} */ kept) => void (kept.previous.score = 4000),
    "with half a board": (/** @type {any} */ kept) => void (kept.previous.board.length = 8),
    "where undo is none": (/** @type {any} */ kept) => void (kept.undo = "none"),
  };
  for (const [fault, spoil] of Object.entries(faults)) {
    const game = spoilt(spoil).game();
    assert.deepEqual([game?.previous, game?.slides], [null, 1], fault);
  }
});
