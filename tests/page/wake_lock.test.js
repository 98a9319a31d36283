import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { WakeLock } from "../../web-gateway/src/web_gateway/page/js/race/wake-lock.js";

/** @type {EventTarget & {visibilityState: string}} */
let page;
/** @type {{released: boolean, release: () => Promise<void>}[]} */
let locks;
const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");

/** @param {unknown} wakeLock */
const browserWith = (wakeLock) => Object.defineProperty(globalThis, "navigator", { configurable: true, value: wakeLock === null ? {} : { wakeLock } });

const request = async () => {
  const lock = { released: false, release: async () => void (lock.released = true) };
  locks.push(lock);
  return lock;
};

/** Lets everything that was promised happen. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

/** @param {string} state */
async function turned(state) {
  page.visibilityState = state;
  page.dispatchEvent(new Event("visibilitychange"));
  await settled();
}

beforeEach(() => {
  locks = [];
  page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  Object.defineProperty(globalThis, "document", { configurable: true, value: page });
  browserWith({ request });
});

afterEach(() => {
  Reflect.deleteProperty(globalThis, "document");
  if (before !== undefined) Object.defineProperty(globalThis, "navigator", before);
});

test("the screen is kept awake while that is wanted, and asked for once", async () => {
  const lock = new WakeLock();
  lock.want(true);
  lock.want(true);
  await settled();
  assert.deepEqual(locks.map(({ released }) => released), [false]);
  lock.want(false);
  await settled();
  assert.deepEqual(locks.map(({ released }) => released), [true]);
});

test("it is asked for again when the page is there again, which the browser had taken it from", async () => {
  new WakeLock().want(true);
  await settled();
  locks[0].released = true;
  await turned("hidden");
  assert.equal(locks.length, 1);
  await turned("visible");
  assert.deepEqual(locks.map(({ released }) => released), [true, false]);
});

test("one that comes when it is no longer wanted is let go at once", async () => {
  const lock = new WakeLock();
  lock.want(true);
  lock.want(false);
  await settled();
  assert.deepEqual(locks.map(({ released }) => released), [true]);
});

test("a browser that has none, or will not, is left alone", async () => {
  browserWith(null);
  new WakeLock().want(true);
  browserWith({ request: () => Promise.reject(new DOMException("low on power")) });
  new WakeLock().want(true);
  await settled();
  assert.deepEqual(locks, []);
});
