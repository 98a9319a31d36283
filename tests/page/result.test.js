import assert from "node:assert/strict";
import test from "node:test";
import { placeOf, ranked, resultLine } from "../../web-gateway/src/web_gateway/page/js/race/result.js";
import { FIRST_VIEW } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { raceFrame, racingTable } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").Standing} Standing */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").Verdict} Verdict */

/** @param {[score: number, state: Standing["state"]][]} racers @param {Verdict} verdict */
function over(racers, verdict) {
  const standings = racers.map(([score, state], index) => ({ seat: index + 1, score, biggest: 2, slides: 0, state }));
  const table = racingTable();
  const names = ["Ann", "Ben", "Cleo", "Di"].slice(0, racers.length).map((name, index) => ({ seat: index + 1, name }));
  return { ...FIRST_VIEW, table: { ...table, race: table.race && { ...table.race, racers: names } }, race: raceFrame({ standings, verdict }) };
}

/** @param {ReturnType<typeof over>} view */
const places = (view) => ranked(view).map((standing) => [standing.seat, placeOf(view, standing)]);

test("who won is first, then scores count, and those who are out come last", () => {
  const view = over([[500, "out"], [20, "sliding"], [300, "sliding"]], { winner: 2, tied: [], reason: "TARGET" });
  assert.deepEqual(places(view), [[2, 1], [3, 2], [1, 3]]);
});

test("equals share a place", () => {
  const view = over([[0, "out"], [8, "sliding"], [0, "out"], [0, "out"]], { winner: 2, tied: [], reason: "LAST_IN_RACE" });
  assert.deepEqual(places(view), [[2, 1], [1, 2], [3, 2], [4, 2]]);
});

test("those who agreed to a draw are all first, whatever their scores", () => {
  const view = over([[8, "sliding"], [300, "sliding"], [900, "out"]], { winner: null, tied: [1, 2], reason: "AGREED" });
  assert.deepEqual(places(view), [[2, 1], [1, 1], [3, 3]]);
});

test("the result says who won, how, all scores, and where to see it", () => {
  const racers = /** @type {[number, Standing["state"]][]} */ ([[1200, "sliding"], [80, "stuck"]]);
  /** @param {Verdict["reason"]} reason */
  const line = (reason) => resultLine(over(racers, { winner: 1, tied: [], reason }), "http://h/t/1").replaceAll(/[\u2066-\u2069]/g, "");
  assert.equal(line("TIME_UP"), "Ann won a race of 2048, with the highest score when time was up. Ann 1,200, Ben 80. http://h/t/1");
  assert.match(line("TARGET"), /^Ann won a race of 2048, with the first 2048\. /);
  const drawn = resultLine(over(racers, { winner: null, tied: [1, 2], reason: "AGREED" }), "http://h/t/1").replaceAll(/[\u2066-\u2069]/g, "");
  assert.match(drawn, /^Ann and Ben drew a race of 2048 by agreement\. /);
});
