import assert from "node:assert/strict";
import { test } from "node:test";
import { Feel } from "../../web-gateway/src/web_gateway/page/js/feel.js";
import { countTune, slideTune, TUNES } from "../../web-gateway/src/web_gateway/page/js/sounds.js";
import { PATTERNS, slidePattern } from "../../web-gateway/src/web_gateway/page/js/vibration.js";

/** @param {"on" | "off"} sounds @param {"on" | "off"} vibration */
function feelWith(sounds, vibration) {
  const given = { tunes: /** @type {unknown[]} */ ([]), patterns: /** @type {unknown[]} */ ([]) };
  const chosen = { get: (/** @type {string} */ name) => /** @type {any} */ ({ sounds, vibration })[name] };
  const feel = new Feel(chosen, { play: (tune) => void given.tunes.push(tune), vibrate: (pattern) => void given.patterns.push(pattern) });
  return { feel, given };
}

/** @param {Feel} feel */
function everything(feel) {
  feel.slid({ points: 4, biggest: 4 });
  feel.counted(3);
  for (const happen of /** @type {const} */ (["won", "stuck", "raceWon", "raceLost", "friendArrived"])) feel[happen]();
}

const ALL = [...[0, ...Array.from({ length: 16 }, (_, more) => more + 2)].map(slideTune), countTune(3), countTune(0), ...Object.values(TUNES)];

test("nothing is heard or felt that was not chosen", () => {
  for (const [sounds, vibration] of /** @type {const} */ ([["off", "off"], ["on", "off"], ["off", "on"]])) {
    const { feel, given } = feelWith(sounds, vibration);
    everything(feel);
    assert.deepEqual([given.tunes.length, given.patterns.length], [sounds === "on" ? 7 : 0, vibration === "on" ? 7 : 0]);
  }
});

test("a slide without a merge is a tap only, whatever tiles there are", () => {
  const { feel, given } = feelWith("on", "on");
  feel.slid({ points: 0, biggest: 0 });
  assert.deepEqual(given, { tunes: [slideTune(0)], patterns: [[]] });
});

test("the bigger the tile the higher its note and the longer the shake, up to 131072", () => {
  for (let exponent = 3; exponent <= 17; exponent += 1) {
    assert.ok((slideTune(exponent).at(-1)?.hertz ?? 0) > (slideTune(exponent - 1).at(-1)?.hertz ?? Infinity), `2 to the ${exponent}`);
    assert.ok(slidePattern(exponent)[0] > slidePattern(exponent - 1)[0]);
  }
});

test("every tune is short, soft and within what small speakers play well", () => {
  for (const tune of ALL) {
    for (const { at, hertz, seconds, loud } of tune) {
      assert.ok(at + seconds < 1.2 && hertz >= 100 && hertz < 2500 && loud <= 0.7);
    }
  }
});

test("no shake is longer than a moment", () => {
  for (const pattern of [...Object.values(PATTERNS), slidePattern(17)]) assert.ok(pattern.reduce((sum, ms) => sum + ms, 0) <= 300);
});

test("what was just switched on is given once, chosen or not yet", () => {
  const { feel, given } = feelWith("off", "off");
  feel.sample("sounds");
  feel.sample("vibration");
  assert.deepEqual([given.tunes.length, given.patterns.length], [1, 1]);
});
