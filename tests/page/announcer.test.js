import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Announcer, slideWords } from "../../web-gateway/src/web_gateway/page/js/announcer.js";

/** @param {(announcer: Announcer, said: string[], pass: (ms: number) => void) => void} play */
function announcing(play) {
  mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {string[]} */
  const said = [];
  play(new Announcer((words) => said.push(words), 800), said, (ms) => mock.timers.tick(ms));
  mock.timers.reset();
}

test("what is said after a pause is said at once", () => {
  announcing((announcer, said, pass) => {
    announcer.say("one");
    pass(900);
    announcer.say("two");
    assert.deepEqual(said, ["one", "two"]);
  });
});

test("of what comes faster only the latest is said, and the last always is", () => {
  announcing((announcer, said, pass) => {
    for (let number = 1; number <= 30; number += 1) {
      announcer.say(String(number));
      pass(100);
    }
    pass(800);
    assert.deepEqual(said, ["1", "8", "16", "24", "30"]);
  });
});

test("the same words are heard again", () => {
  announcing((announcer, said, pass) => {
    announcer.say("Taken back.");
    pass(800);
    announcer.say("Taken back.");
    assert.equal(new Set(said).size, 2);
    assert.deepEqual(said.map((words) => words.trim()), ["Taken back.", "Taken back."]);
  });
});

test("after hush nothing is said of what came before, and what was said is taken away", () => {
  announcing((announcer, said, pass) => {
    announcer.say("one");
    announcer.say("two");
    announcer.hush();
    pass(900);
    announcer.say("one");
    assert.deepEqual(said, ["one", "", "one"]);
  });
});

test("a slide with merges tells what was made, the score, and the tile that came", () => {
  const came = { value: 2, cell: 2 };
  assert.equal(slideWords({ made: [16, 8], score: 1240, record: false, came }), "8 and 16 made, score 1,240. New: 2 in row 1, column 3.");
  assert.equal(slideWords({ made: [128], score: 900, record: true, came }), "128 made, your biggest, score 900. New: 2 in row 1, column 3.");
});

test("a slide without a merge tells only the tile that came", () => {
  assert.equal(slideWords({ made: [], score: 1240, record: false, came: { value: 4, cell: 15 } }), "New: 4 in row 4, column 4.");
});
