import assert from "node:assert/strict";
import { test } from "node:test";
import { directionOfKey, directionOfWay, isUndoKey, Swipe } from "../../web-gateway/src/web_gateway/page/js/input.js";

const plain = { key: "", ctrlKey: false, altKey: false, metaKey: false, repeat: false };

test("arrows and W A S D by position slide, whatever the layout writes on them", () => {
  const keys = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", KeyW: "up", KeyA: "left", KeyS: "down", KeyD: "right" };
  for (const [code, direction] of Object.entries(keys)) assert.equal(directionOfKey({ ...plain, code }), direction);
});

test("other keys are left alone", () => {
  for (const code of ["Space", "KeyR", "Tab", "F5", "Enter", "toString"]) assert.equal(directionOfKey({ ...plain, code }), null);
});

test("keys with Ctrl, Alt or Meta are the browser's", () => {
  for (const held of ["ctrlKey", "altKey", "metaKey"]) assert.equal(directionOfKey({ ...plain, code: "ArrowLeft", [held]: true }), null);
});

test("so are those with the Alt key that writes a third sign", () => {
  const getModifierState = (/** @type {string} */ key) => key === "AltGraph";
  assert.equal(directionOfKey({ ...plain, code: "KeyA", key: "æ", getModifierState }), null);
});

test("with Shift or Caps Lock a letter is the same key", () => {
  assert.equal(directionOfKey({ ...plain, code: "KeyA", key: "A" }), "left");
});

test("an arrow is known by its name where it has another place", () => {
  assert.equal(directionOfKey({ ...plain, code: "Numpad8", key: "ArrowUp" }), "up");
  assert.equal(directionOfKey({ ...plain, code: "Numpad8", key: "8" }), null);
});

test("a key held down is one slide", () => {
  assert.equal(directionOfKey({ ...plain, code: "ArrowLeft", repeat: true }), null);
});

test("U takes back by its letter, and by its place where there are other letters", () => {
  assert.ok(isUndoKey({ ...plain, code: "KeyU", key: "u" }));
  assert.ok(isUndoKey({ ...plain, code: "KeyF", key: "U" }), "Dvorak");
  assert.ok(isUndoKey({ ...plain, code: "KeyU", key: "г" }), "Cyrillic");
  assert.ok(!isUndoKey({ ...plain, code: "KeyU", key: "g" }));
  assert.ok(!isUndoKey({ ...plain, code: "KeyU", key: "u", ctrlKey: true }));
});

test("a diagonal counts as the way it leans most", () => {
  assert.equal(directionOfWay({ x: 0, y: 0 }, { x: 30, y: 20 }, 10), "right");
  assert.equal(directionOfWay({ x: 0, y: 0 }, { x: -20, y: -30 }, 10), "up");
  assert.equal(directionOfWay({ x: 0, y: 0 }, { x: 6, y: 6 }, 10), null);
});

/** A finger's press at 100, 100. @param {number} id @param {Partial<import("../../web-gateway/src/web_gateway/page/js/input.js").Press>} [more] */
const finger = (id, more = {}) => ({ id, kind: "touch", first: false, x: 100, y: 100, ...more });
const LEFT_OF_IT = { x: 10, y: 100 };

test("a swipe slides once, as soon as it is long enough", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1), true);
  assert.equal(swipe.moved(1, { x: 90, y: 100 }), null);
  assert.equal(swipe.moved(1, { x: 60, y: 100 }), "left");
  assert.equal(swipe.moved(1, LEFT_OF_IT), null);
  assert.equal(swipe.lifted(1, LEFT_OF_IT), null);
});

test("a short flick slides when the finger is lifted", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1), true);
  assert.equal(swipe.lifted(1, { x: 101, y: 114 }), "down");
  swipe.pressed(finger(2), true);
  assert.equal(swipe.lifted(2, { x: 100, y: 80 }), "up", "and the next one does, too");
});

test("a tap slides nothing", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1), true);
  assert.equal(swipe.lifted(1, { x: 104, y: 97 }), "tap");
});

test("a swipe that begins beside the board slides nothing", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1), false);
  assert.equal(swipe.moved(1, LEFT_OF_IT), null);
  assert.equal(swipe.lifted(1, LEFT_OF_IT), null);
});

test("two fingers never slide, nor does the last one lifted", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1), true);
  swipe.pressed(finger(2, { x: 200 }), true);
  assert.equal(swipe.moved(1, LEFT_OF_IT), null);
  assert.equal(swipe.lifted(2, { x: 300, y: 100 }), null);
  assert.equal(swipe.lifted(1, LEFT_OF_IT), null);
  swipe.pressed(finger(3), true);
  assert.equal(swipe.moved(3, LEFT_OF_IT), "left", "one finger alone slides again");
});

test("a finger that stays down spoils those that come and go", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1), true);
  swipe.pressed(finger(2), true);
  swipe.lifted(2, finger(2));
  swipe.pressed(finger(3), true);
  assert.equal(swipe.moved(3, LEFT_OF_IT), null);
  assert.equal(swipe.lifted(3, LEFT_OF_IT), null);
});

test("a finger beside the board makes two of one on it, whichever came first", () => {
  for (const first of [true, false]) {
    const swipe = new Swipe();
    swipe.pressed(finger(1), first);
    swipe.pressed(finger(2), !first);
    assert.equal(swipe.moved(first ? 1 : 2, LEFT_OF_IT), null);
  }
});

test("a finger that went without a word spoils nothing once a first one comes down again", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1, { first: true }), true);
  swipe.pressed(finger(7, { first: true }), true);
  assert.equal(swipe.moved(7, LEFT_OF_IT), "left");
});

test("a finger and the mouse are two, though each is the first of its kind", () => {
  const swipe = new Swipe();
  swipe.pressed(finger(1, { first: true }), true);
  swipe.pressed(finger(2, { first: true, kind: "mouse" }), true);
  assert.equal(swipe.moved(2, LEFT_OF_IT), null);
});
