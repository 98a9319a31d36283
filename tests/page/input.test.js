import assert from "node:assert/strict";
import { test } from "node:test";
import { directionOfKey, directionOfWay, Swipe } from "../../web-gateway/src/web_gateway/page/js/input.js";

const plain = { ctrlKey: false, altKey: false, metaKey: false, repeat: false };

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

test("a key held down is one slide", () => {
  assert.equal(directionOfKey({ ...plain, code: "ArrowLeft", repeat: true }), null);
});

test("a diagonal counts as the way it leans most", () => {
  assert.equal(directionOfWay({ x: 0, y: 0 }, { x: 30, y: 20 }, 10), "right");
  assert.equal(directionOfWay({ x: 0, y: 0 }, { x: -20, y: -30 }, 10), "up");
  assert.equal(directionOfWay({ x: 0, y: 0 }, { x: 6, y: 6 }, 10), null);
});

test("a swipe slides once, as soon as it is long enough", () => {
  const swipe = new Swipe();
  swipe.pressed(1, { x: 100, y: 100 });
  assert.equal(swipe.moved(1, { x: 90, y: 100 }), null);
  assert.equal(swipe.moved(1, { x: 60, y: 100 }), "left");
  assert.equal(swipe.moved(1, { x: 10, y: 100 }), null);
  assert.equal(swipe.lifted(1, { x: 10, y: 100 }), null);
});

test("a short flick slides when the finger is lifted", () => {
  const swipe = new Swipe();
  swipe.pressed(1, { x: 100, y: 100 });
  assert.equal(swipe.lifted(1, { x: 101, y: 114 }), "down");
  swipe.pressed(2, { x: 100, y: 100 });
  assert.equal(swipe.lifted(2, { x: 100, y: 80 }), "up", "and the next one does, too");
});

test("a tap slides nothing", () => {
  const swipe = new Swipe();
  swipe.pressed(1, { x: 100, y: 100 });
  assert.equal(swipe.lifted(1, { x: 104, y: 97 }), "tap");
});

test("two fingers never slide, nor does the last one lifted", () => {
  const swipe = new Swipe();
  swipe.pressed(1, { x: 100, y: 100 });
  swipe.pressed(2, { x: 200, y: 100 });
  assert.equal(swipe.moved(1, { x: 10, y: 100 }), null);
  assert.equal(swipe.lifted(2, { x: 300, y: 100 }), null);
  assert.equal(swipe.lifted(1, { x: 10, y: 100 }), null);
  swipe.pressed(3, { x: 100, y: 100 });
  assert.equal(swipe.moved(3, { x: 10, y: 100 }), "left", "one finger alone slides again");
});
