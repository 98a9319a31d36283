import assert from "node:assert/strict";
import { test } from "node:test";
import { SoloGame } from "../../web-gateway/src/web_gateway/page/js/solo/solo-game.js";
import { KEY, SoloStorage } from "../../web-gateway/src/web_gateway/page/js/solo/storage.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/solo/solo-game.js").Deed} Deed */

function shelf() {
  /** @type {Map<string, string>} */
  const map = new Map();
  /** @type {string[]} */
  const written = [];
  return {
    map,
    written,
    getItem: (/** @type {string} */ key) => map.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void (written.push(key), map.set(key, value)),
    removeItem: (/** @type {string} */ key) => void map.delete(key),
  };
}

/** @param {import("../../web-gateway/src/web_gateway/page/js/solo/storage.js").Shelf} on */
function tab(on) {
  /** @type {Deed[]} */
  const deeds = [];
  let turn = 0;
  const solo = new SoloGame(new SoloStorage(() => on), ({ deed }) => void deeds.push(deed), () => new Uint8Array(16).fill((turn += 1) * 29));
  return { solo, deeds };
}

/** @param {SoloGame} solo @returns {void} one slide that changes the board */
function slideOnce(solo) {
  const { slides } = solo.game;
  for (const direction of /** @type {const} */ (["left", "up", "right", "down"])) {
    if (solo.game.slides === slides) solo.slide(direction);
  }
}

test("a new game is kept before its first slide, so that a reload has the same board", () => {
  const on = shelf();
  const first = tab(on).solo.game;
  assert.deepEqual(tab(on).solo.game, first);
});

test("a tab that heard of nothing takes the other's game over instead of writing over it", () => {
  const on = shelf();
  const [one, other] = [tab(on), tab(on)];
  slideOnce(other.solo);
  const kept = on.map.get(KEY.game);
  one.solo.slide("left");
  assert.deepEqual(one.solo.game, other.solo.game);
  assert.deepEqual(one.deeds, ["followed"]);
  assert.equal(on.map.get(KEY.game), kept);
});

test("neither undo nor New game nor a win put away in a tab that is behind touches the other's game", () => {
  for (const deed of /** @type {const} */ (["undo", "renew", "dismiss"])) {
    const on = shelf();
    const [one, other] = [tab(on), tab(on)];
    slideOnce(other.solo);
    one.solo[deed]();
    assert.deepEqual(one.solo.game, other.solo.game, deed);
  }
});

test("whoever slides next has the game, to and fro", () => {
  const on = shelf();
  const [one, other] = [tab(on), tab(on)];
  for (const each of [one, other, one, other]) {
    each.solo.follow();
    slideOnce(each.solo);
  }
  assert.equal(other.solo.game.slides, 4);
  one.solo.follow();
  assert.deepEqual(one.solo.game, other.solo.game);
});

test("one's own slide is nobody else's", () => {
  const { solo, deeds } = tab(shelf());
  slideOnce(solo);
  assert.equal(solo.follow(), false);
  assert.deepEqual(deeds, ["slid"]);
});

test("what another tab leaves unreadable is not followed, and play goes on", () => {
  const on = shelf();
  const { solo, deeds } = tab(on);
  on.map.set(KEY.game, '{"board":[1,');
  slideOnce(solo);
  assert.deepEqual(deeds, ["slid"]);
  assert.deepEqual(tab(on).solo.game, solo.game);
});

test("storage that is cleared under the page is filled again by the next slide", () => {
  const on = shelf();
  const { solo } = tab(on);
  slideOnce(solo);
  on.map.clear();
  slideOnce(solo);
  assert.equal(tab(on).solo.game.slides, 2);
});

test("the best score is kept before the game, and never falls", () => {
  const on = shelf();
  on.map.set(KEY.best, '{"classic":40000,"endless":7}');
  const { solo } = tab(on);
  on.map.set(KEY.best, "rubbish");
  while (solo.game.score === 0) slideOnce(solo);
  assert.equal(solo.best, 40000);
  assert.deepEqual(JSON.parse(on.map.get(KEY.best) ?? ""), { classic: 40000, endless: 7 });
  assert.ok(on.written.indexOf(KEY.best) < on.written.lastIndexOf(KEY.game));
});

test("a game that cannot be read stays until one slides, and is said to be lost", () => {
  const on = shelf();
  on.map.set(KEY.game, '{"format":9}');
  const { solo } = tab(on);
  assert.equal(solo.isLost, true);
  assert.equal(on.map.get(KEY.game), '{"format":9}');
  slideOnce(solo);
  assert.equal(tab(on).solo.isLost, false);
});

test("a choice is taken before the first slide only", () => {
  const { solo } = tab(shelf());
  solo.choose({ mode: "endless" });
  assert.equal(solo.game.mode, "endless");
  slideOnce(solo);
  solo.choose({ mode: "classic" });
  assert.equal(solo.game.mode, "endless");
});

test("each kind of game has its own best score", () => {
  const on = shelf();
  on.map.set(KEY.best, '{"classic":500,"endless":70}');
  const { solo } = tab(on);
  assert.equal(solo.best, 500);
  solo.choose({ mode: "endless" });
  assert.equal(solo.best, 70);
});
