import assert from "node:assert/strict";
import { test } from "node:test";
import { Preferences } from "../../web-gateway/src/web_gateway/page/js/preferences.js";

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

/** @param {Preferences} preferences */
const all = (preferences) => [preferences.get("theme"), preferences.get("sounds"), preferences.get("vibration")];

test("colours are the system's, and sounds and vibration off, until something else is chosen", () => {
  assert.deepEqual(all(new Preferences(() => shelfWith())), ["system", "off", "off"]);
});

test("what was chosen is there the next time", () => {
  const shelf = shelfWith();
  const before = new Preferences(() => shelf);
  before.choose("theme", "dark");
  before.choose("sounds", "on");
  assert.deepEqual(all(new Preferences(() => shelf)), ["dark", "on", "off"]);
});

test("choosing what holds anyway leaves nothing behind", () => {
  const shelf = shelfWith({ "tilerace.theme": "dark" });
  new Preferences(() => shelf).choose("theme", "system");
  assert.equal(shelf.map.size, 0);
});

test("what cannot be chosen stands for what holds anyway", () => {
  const shelf = shelfWith({ "tilerace.theme": "purple", "tilerace.sounds": "{", "tilerace.vibration": "true" });
  assert.deepEqual(all(new Preferences(() => shelf)), ["system", "off", "off"]);
});

test("storage that throws lets a choice hold for this page", () => {
  const preferences = new Preferences(() => {
    throw new DOMException("denied", "SecurityError");
  });
  preferences.choose("sounds", "on");
  assert.equal(preferences.get("sounds"), "on");
});

test("another tab's choice is followed, and told", () => {
  const preferences = new Preferences(() => shelfWith({ "tilerace.sounds": "on" }));
  let told = 0;
  preferences.addEventListener("change", () => (told += 1));
  preferences.follow({ key: "tilerace.theme", newValue: "light" });
  preferences.follow({ key: "tilerace.solo.game", newValue: "{}" });
  assert.deepEqual([...all(preferences), told], ["light", "on", "off", 1]);
  preferences.follow({ key: null, newValue: null });
  assert.deepEqual([...all(preferences), told], ["system", "off", "off", 2]);
});
