import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "../../web-gateway/src/web_gateway/page/js/replay/judge.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/replay/judge.js").Standing} Standing */

/** The six rules of docs/rules.md §4 in their order, each case worked out by hand: how the racers of seats 1, 2, … stand, what else there is, and the verdict. @type {[string, string[], import("../../web-gateway/src/web_gateway/page/js/replay/judge.js").Circumstances, string][]} */
const CASES = [
  ["a race just goes on", ["sliding 10", "sliding 20"], {}, "goes on"],
  ["the target wins at once, even stuck and behind", ["stuck 10", "sliding 20"], { madeTarget: 1 }, "1 TARGET"],
  ["the last one in the race wins, even stuck and behind", ["stuck 10", "out 90", "out 50"], {}, "1 LAST_IN_RACE"],
  ["nobody can slide, and the highest wins", ["stuck 10", "stuck 30", "stuck 20"], {}, "2 ALL_STUCK"],
  ["nobody can slide, and two share the highest", ["stuck 30", "stuck 30", "stuck 20"], {}, "1+2 ALL_STUCK"],
  ["the scores of those out count for nothing", ["stuck 10", "out 90", "stuck 5"], {}, "1 ALL_STUCK"],
  ["the only one who can slide has passed all who are stuck", ["stuck 10", "sliding 21", "stuck 20"], {}, "2 OUTSCORED"],
  ["to have as much as one who is stuck is not to have passed", ["stuck 20", "sliding 20"], {}, "goes on"],
  ["one who is out need not be passed", ["out 90", "sliding 21", "stuck 20"], {}, "2 OUTSCORED"],
  ["with two who can slide nobody has passed all", ["stuck 10", "sliding 21", "sliding 20"], {}, "goes on"],
  ["time is up, and the highest wins, stuck or not", ["stuck 40", "sliding 21", "sliding 20"], { timeIsUp: true }, "1 TIME_UP"],
  ["time is up, and two share the highest", ["sliding 21", "out 30", "sliding 21"], { timeIsUp: true }, "1+3 TIME_UP"],
  ["the deadline comes too late for one who has passed all", ["stuck 10", "sliding 21"], { timeIsUp: true }, "2 OUTSCORED"],
  ["all in the race have agreed", ["sliding 1", "sliding 2", "out 3"], { agreed: [2, 1] }, "1+2 AGREED"],
  ["one in the race has not agreed", ["sliding 1", "sliding 2", "sliding 3"], { agreed: [2, 1] }, "goes on"],
  ["who agreed and went out is not needed", ["sliding 1", "sliding 2", "out 3"], { agreed: [3, 1, 2] }, "1+2 AGREED"],
];

for (const [name, racers, circumstances, expected] of CASES) {
  test(name, () => {
    /** @type {Standing[]} */
    const standings = racers.map((words, index) => {
      const [state, score] = words.split(" ");
      return { seat: index + 1, score: Number(score), stuck: state === "stuck", out: state === "out" };
    });
    const verdict = judge(standings, circumstances);
    const found = verdict === null ? "goes on" : `${verdict.winner ?? verdict.tied.join("+")} ${verdict.reason}`;
    assert.equal(found, expected);
  });
}
