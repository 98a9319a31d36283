import assert from "node:assert/strict";
import { test } from "node:test";
import { EMPTY_BOARD } from "../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { drawsOf } from "../../web-gateway/src/web_gateway/page/js/engine/draws.js";
import { Kept } from "../../web-gateway/src/web_gateway/page/js/race/kept.js";
import { keepRules, knownRules } from "../../web-gateway/src/web_gateway/page/js/race/known-rules.js";
import { boardCame, noSlides, pressed, pump } from "../../web-gateway/src/web_gateway/page/js/race/slides.js";
import { TinyServer } from "./tiny_server.js";

/** @returns {Storage} */
function shelf() {
  /** @type {Map<string, string>} */
  const kept = new Map();
  const store = { getItem: (/** @type {string} */ key) => kept.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => void kept.set(key, value), removeItem: (/** @type {string} */ key) => void kept.delete(key) };
  return /** @type {any} */ (store);
}

const throwing = () => {
  throw new DOMException("no storage here");
};

const newKept = (table = "T", tab = shelf(), browser = shelf()) => new Kept(table, { tab: () => tab, browser: () => browser });

test("the slides of a race are there again after a reload, and offered to a store that has lost them", () => {
  const server = new TinyServer(new Uint8Array(32));
  let slides = boardCame(noSlides(1, "c1", EMPTY_BOARD), server.snapshot());
  for (const direction of /** @type {const} */ (["left", "up", "right", "down", "left", "up"])) {
    const { slides: sent, frames } = pump(pressed(slides, direction), 0);
    slides = frames.flatMap((frame) => server.answer(frame)).reduce((before, answer) => (answer.kind === "board" ? boardCame(before, answer) : before), sent);
  }
  const before = server.racer.board;
  const kept = newKept();
  kept.keepSlides(slides);

  server.lose(3);
  const again = pump(boardCame(/** @type {NonNullable<Kept["slides"]>} */ (kept.slides), server.snapshot()), 0);
  assert.equal(again.frames.length, 3);
  for (const frame of again.frames) server.answer(frame);
  assert.deepEqual(server.racer.board, before);
});

test("each table has its own slides", () => {
  const tab = shelf();
  newKept("ONE", tab).keepSlides({ ...noSlides(1, "c1", EMPTY_BOARD), base: 1, history: ["left"] });
  assert.equal(newKept("TWO", tab).slides, null);
  assert.deepEqual(newKept("ONE", tab).slides?.history, ["left"]);
});

test("anything else in the storage, and a storage that throws, is nothing kept", () => {
  for (const text of ["", "{", "3", "null", "[]", '{"race": 1}', '{"race": 1, "commitment": "c", "base": 1, "history": ["aside"]}', '{"race": 1, "commitment": "c", "base": 0, "history": ["left"]}', '{"race": "1", "commitment": "c", "base": 1, "history": []}']) {
    const tab = shelf();
    tab.setItem("tilerace.slides.T", text);
    const browser = shelf();
    browser.setItem("tilerace.sat", text);
    const kept = newKept("T", tab, browser);
    assert.deepEqual([kept.slides, kept.sat], [null, null], text);
  }
  const none = new Kept("T", { tab: throwing, browser: throwing });
  none.keepSat({ race: 2 });
  none.keepSlides(noSlides(1, "c1", EMPTY_BOARD));
  assert.deepEqual([none.slides, none.sat], [null, null]);
});

test("that one sat is known to every tab of the browser, until one no longer does", () => {
  const browser = shelf();
  newKept("T", shelf(), browser).keepSat({ race: 3 });
  assert.deepEqual(newKept("T", shelf(), browser).sat, { race: 3 });
  assert.equal(newKept("OTHER", shelf(), browser).sat, null);
  newKept("T", shelf(), browser).keepSat(null);
  assert.equal(newKept("T", shelf(), browser).sat, null);
});

test("the rules chosen last are known again, and anything else in the storage is none", () => {
  const browser = shelf();
  assert.equal(knownRules(() => browser), null);
  keepRules({ target: 512, clock_s: null }, () => browser);
  assert.deepEqual(knownRules(() => browser), { target: 512, clock_s: null });
  for (const text of ["", "{", "3", "[]", '{"target": 512}', '{"target": "512", "clock_s": 60}']) {
    browser.setItem("tilerace.rules", text);
    assert.equal(knownRules(() => browser), null, text);
  }
  keepRules({ target: null, clock_s: 60 }, throwing);
  assert.equal(knownRules(throwing), null);
});
