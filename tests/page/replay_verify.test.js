import assert from "node:assert/strict";
import { test } from "node:test";
import { valueOf } from "../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { fromHex } from "../../web-gateway/src/web_gateway/page/js/engine/bytes.js";
import { DIRECTIONS, slide } from "../../web-gateway/src/web_gateway/page/js/engine/slide.js";
import { readReplay } from "../../web-gateway/src/web_gateway/page/js/replay/answer.js";
import { timelineOf } from "../../web-gateway/src/web_gateway/page/js/replay/timeline.js";
import { keptDraws, Track } from "../../web-gateway/src/web_gateway/page/js/replay/track.js";
import { verify } from "../../web-gateway/src/web_gateway/page/js/replay/verify.js";
import { markWords } from "../../web-gateway/src/web_gateway/page/js/replay/words.js";
import { CASES, caseOf } from "./replay_cases.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/commitments.js").Shown} Shown */
/** @typedef {import("./replay_cases.js").Case} Case */

const COMMITMENT = "The seed fits the commitment";
const DEAL = "The commitment is the one shown before the race";
const DEALT = "Rules and racers are those of the deal";
const OWN = "The tiles that came to you are the seed's";
const TIMES = "All happened in order and in time";
const FINALS = "The boards are those shown at the end";
const RULES = "Everyone kept to the rules";
const VERDICT = "The verdict follows";

/** @param {any} replay @param {Shown | null} [shown] */
const checked = (replay, shown = null) => [...verify(readReplay(replay), shown)].filter((check) => check !== null);

/** @param {any} replay @param {Shown | null} [shown] @returns {Record<string, string>} what does not hold, and what was found */
const failures = (replay, shown) => Object.fromEntries(checked(replay, shown).filter(({ holds }) => holds === false).map(({ what, found }) => [what, found]));

/** @param {any} replay @returns {string} the tiles that came to the first racer's board, as they are noted */
function tilesOf({ seed, seats: [{ slides }] }) {
  const draws = keptDraws(fromHex(seed));
  const track = new Track(draws);
  return slides.map((/** @type {[number, any]} */ [, direction], /** @type {number} */ index) => {
    track.slide(direction);
    const { cell, value } = track.tileOf(index + 1, direction, draws) ?? { cell: 0, value: 0 };
    return (2 * cell + (value === 4 ? 1 : 0)).toString(32);
  }).join("");
}

/** @param {Case} found @returns {Shown} what a browser was shown that was there all the time */
function shownOf({ replay, finals }) {
  const dealt = { rules: replay.rules, racers: replay.seats.map(({ seat, name }) => ({ seat, name })) };
  const tiles = tilesOf(replay);
  const own = tiles === "" ? undefined : { seat: replay.seats[0].seat, from: 1, tiles };
  return { commitment: replay.commitment, dealt, own, finals: finals.map(({ seat, cells }) => ({ seat, cells: cells.map(valueOf) })) };
}

/** @param {any} replay @returns {{n: number, direction: string}} the last slide of Bo's that could be turned to where nothing moves */
function turnSlide(replay) {
  const track = new Track(keptDraws(fromHex(replay.seed)));
  let found = { n: 0, direction: "" };
  replay.seats[1].slides.forEach((/** @type {[number, any]} */ [, made], /** @type {number} */ index) => {
    const useless = DIRECTIONS.find((direction) => slide(track.last.board, direction) === null);
    if (useless !== undefined) found = { n: index + 1, direction: useless };
    track.slide(made);
  });
  replay.seats[1].slides[found.n - 1][1] = found.direction;
  return found;
}

test("every race that the engine ran holds in every check, for one who was there", () => {
  for (const found of CASES) {
    const shown = shownOf(found);
    const checks = checked(found.replay, shown);
    assert.deepEqual(checks.filter(({ holds }) => holds !== true), [], found.name);
    assert.equal(checks.length, 8 + (shown.own === undefined ? 0 : 1) + found.finals.length);
  }
});

test("one who was not there has nothing to compare with, and is told so", () => {
  const open = checked(caseOf("race to 64").replay).filter(({ holds }) => holds === null);
  assert.deepEqual(open.map(({ what }) => what), [DEAL, DEALT, FINALS]);
});

test("checks say what they counted", () => {
  const { replay, finals } = caseOf("left behind");
  const found = new Map(checked(replay).map((check) => [check.what, check.found]));
  assert.equal(found.get(TIMES), "26 slides and 2 events, all within 0:01.");
  assert.equal(found.get("Ann's board"), `10 slides, each of which changed the board; ${finals[0].score} points, biggest tile 16.`);
  assert.match(found.get("Every new tile comes from the seed") ?? "", /^12 draws, the same for everyone: \d+ twos and \d+ fours?\.$/);
  assert.equal(found.get(RULES), "2 left the race, and no draw was offered.");
  assert.equal(found.get(VERDICT), "Cy won: last one in the race.");
});

test("long races give whoever runs the checks a break", () => {
  const breaks = [...verify(readReplay(caseOf("four race until").replay), null)].filter((step) => step === null);
  assert.ok(breaks.length >= 3);
});

test("another seed is found by the commitment", () => {
  const { replay } = caseOf("race to 64");
  replay.seed = `00${replay.seed.slice(2)}`;
  assert.match(failures(replay)[COMMITMENT], /^The SHA-256 of the seed is \w{8}…\w{8}, and not \w{8}…\w{8}\.$/);
});

test("another seed with a commitment to match is found by the one shown at the deal, and by the slides", () => {
  const found = caseOf("four race until");
  const shown = shownOf(found);
  const other = caseOf("in the countdown").replay;
  const tampered = { ...found.replay, seed: other.seed, commitment: other.commitment };
  const wrong = failures(tampered, shown);
  assert.equal(wrong[COMMITMENT], undefined);
  assert.match(wrong[DEAL], /^This browser was shown \w{8}…\w{8} when the race was dealt, and now \w{8}…\w{8}\.$/);
  assert.ok(Object.values(wrong).some((words) => /^\w+'s slide \d+ \(\w+\) changes nothing\.$/.test(words)));
});

test("another commitment is found by the seed and by the one shown at the deal", () => {
  const found = caseOf("race to 64");
  const shown = shownOf(found);
  found.replay.commitment = "ab".repeat(32);
  assert.deepEqual(Object.keys(failures(found.replay, shown)), [COMMITMENT, DEAL]);
});

test("a commitment in capitals is the same", () => {
  const found = caseOf("race to 64");
  const shown = shownOf(found);
  found.replay.commitment = found.replay.commitment.toUpperCase();
  assert.deepEqual(failures(found.replay, shown), {});
});

test("a slide turned to where nothing moves is found, by its number and direction", () => {
  const { replay } = caseOf("four race until");
  const { n, direction } = turnSlide(replay);
  assert.equal(failures(replay)["Bo's board"], `Bo's slide ${n} (${direction}) changes nothing.`);
});

test("slides turned so that all still change the board are found by the boards shown at the end", () => {
  const found = caseOf("clock ends a race of four");
  const shown = shownOf(found);
  const { slides } = found.replay.seats[0];
  const last = slides[slides.length - 1];
  const others = ["up", "down", "left", "right"].filter((direction) => direction !== last[1]);
  const turned = others.map((direction) => {
    last[1] = direction;
    return failures(found.replay, shown);
  });
  for (const wrong of turned) assert.ok("Ann's board" in wrong || FINALS in wrong);
  const words = turned.map((wrong) => wrong[FINALS]).find((one) => one !== undefined) ?? "";
  assert.match(words, /^Ann's board has (nothing|a \d+) in row [1-4], column [1-4]; at the end this browser was shown (nothing|a \d+)\.$/);
});

test("a slide taken out, and its place in the order with it, is found", () => {
  const found = caseOf("race to 64");
  found.replay.seats[1].slides.splice(10, 1);
  found.replay.order.splice(found.replay.order.indexOf(2), 1);
  assert.notDeepEqual(failures(found.replay, shownOf(found)), {});
});

test("the winning slide taken out leaves a race that is not over", () => {
  const { replay } = caseOf("race to 64");
  replay.seats[0].slides.pop();
  replay.order.pop();
  const wrong = failures(replay);
  assert.equal(wrong[VERDICT], "By the log the race is not over. The server says: Ann won: made the 64 first.");
  assert.match(wrong[TIMES], /^The race ended at 5\.4 s, and Bo's slide 55 was at 5\.\d s\.$/);
});

test("a slide put in after the end is found", () => {
  const { replay } = caseOf("race to 64");
  const end = replay.ended_at - replay.starts_at;
  const direction = ["up", "down", "left", "right"].find((one) => {
    const more = structuredClone(replay);
    more.seats[1].slides.push([end, one]);
    more.order.push(2);
    return failures(more)["Bo's board"] === undefined;
  });
  replay.seats[1].slides.push([end, direction]);
  replay.order.push(2);
  assert.deepEqual(failures(replay), { [VERDICT]: "The race was over, and yet something follows in the log." });
});

test("another winner and another reason are found, and both verdicts said", () => {
  const { replay } = caseOf("race to 64");
  const winner = { ...replay, verdict: { winner: 2, tied: [], reason: "TARGET" } };
  assert.equal(failures(winner)[VERDICT], "By the log: Ann won: made the 64 first. The server says: Bo won: made the 64 first.");
  const reason = { ...replay, verdict: { winner: 1, tied: [], reason: "ALL_STUCK" } };
  assert.deepEqual(Object.keys(failures(reason)), [VERDICT]);
  const draw = { ...replay, verdict: { winner: null, tied: [1, 2], reason: "AGREED" } };
  assert.deepEqual(Object.keys(failures(draw)), [VERDICT]);
});

test("a draw in which one more shares is found", () => {
  const { replay } = caseOf("that two share");
  replay.verdict.tied = [1, 2, 3];
  assert.deepEqual(Object.keys(failures(replay)), [VERDICT]);
});

test("another order of the slides is found where it matters: by times that go back", () => {
  const { replay } = caseOf("race to 64");
  const at = replay.order.findIndex((/** @type {number} */ seat, /** @type {number} */ index) => index > 30 && seat !== replay.order[index + 1]);
  [replay.order[at], replay.order[at + 1]] = [replay.order[at + 1], replay.order[at]];
  assert.match(failures(replay)[TIMES], /^(Ann|Bo)'s slide \d+ comes \d+ ms before (Ann|Bo)'s slide \d+, which the log has first\.$/);
});

/** @type {[string, string, (replay: any) => void, RegExp][]} */
const OUT_OF_TIME = [
  ["before the start", "race to 64", (replay) => (replay.seats[0].slides[0][0] = -5), /^Ann's slide 1 was 5 ms before the start\.$/],
  ["at the deadline", "clock ends a race of four", (replay) => (replay.seats[3].slides[19][0] = 60_000), /^Dee's slide 20 was at 60\.0 s, which is not in the race's time\.$/],
  ["after the end", "race to 64", (replay) => (replay.ended_at -= 100), /^The race ended at 5\.3 s, and Ann's slide 56 was at 5\.4 s\.$/],
];

for (const [name, part, tamper, words] of OUT_OF_TIME) {
  test(`a time ${name} is found`, () => {
    const { replay } = caseOf(part);
    tamper(replay);
    assert.match(failures(replay)[TIMES], words);
  });
}

test("a clock that ended too early is found", () => {
  const { replay } = caseOf("clock ends a race of four");
  replay.ended_at -= 1000;
  replay.events[0].ms -= 1000;
  assert.match(failures(replay)[TIMES], /^The end of the time was at 59\.0 s, which is not in the race's time\.$/);
});

test("an offer that stood until the deadline may lapse at it", () => {
  const { replay } = caseOf("clock ends a race of four");
  const after = replay.order.length;
  replay.events = [{ ms: 20_000, type: "offered", seat: 1, after }, { ms: 60_000, type: "lapsed", seat: null, after }, ...replay.events];
  assert.deepEqual(failures(replay), {});
});

test("an offer lapsed at its end, however late that was written down", () => {
  const { replay } = caseOf("clock ends a race of four");
  const after = replay.order.length;
  const [offered, lapsed] = [{ type: "offered", seat: 1 }, { type: "lapsed", seat: null }];
  replay.events = [{ ...offered, ms: 4000, after }, { ...lapsed, ms: 54_500, after }, { ...offered, ms: 54_600, after }, { ...lapsed, ms: 60_000, after }, ...replay.events];
  assert.match(failures(replay)[RULES], /^Ann's offer lapsed before its 30 seconds were over\.$/);
  replay.events.splice(3, 1);
  assert.deepEqual(failures(replay), {});
});

/** @type {[string, string, (replay: any) => void, string][]} */
const AGAINST_THE_RULES = [
  ["a slide by one who had left", "left behind", (replay) => (replay.events[0].after = 16), "Bo slid after leaving the race."],
  ["an answer where no offer stood", "offers are declined", (replay) => replay.events.shift(), "Cy agreed, but no offer stood."],
  ["an offer while another stood", "offers are declined", (replay) => (replay.events[1].type = "offered"), "Cy offered a draw while Ann's offer stood."],
  ["agreeing twice", "offers are declined", (replay) => (replay.events[1].seat = 1), "Ann agreed, but had agreed already."],
  ["an offer that lapsed too early", "offers are declined", (replay) => (replay.events[5].ms -= 20_000), "Bo's offer lapsed before its 30 seconds were over."],
  ["the end of an offer that was none", "offers are declined", (replay) => (replay.events[2].type = "lapsed", replay.events[2].seat = null, replay.events.splice(0, 2)), "An offer lapsed, but none stood."],
  ["an offer again too soon", "offers are declined", (replay) => (replay.events[3].after = replay.events[2].after + 3), "Ann offered a draw again too soon."],
  ["agreeing long after an offer had lapsed", "who had not agreed resigns", (replay) => replay.events.slice(1).forEach((/** @type {any} */ event) => (event.ms += 60_000)), "Bo agreed to an offer that had lapsed."],
];

for (const [name, part, tamper, words] of AGAINST_THE_RULES) {
  test(`${name} is found`, () => {
    const { replay } = caseOf(part);
    tamper(replay);
    assert.equal(failures(replay)[RULES], words);
  });
}

test("a board shown at the end of one who did not race is found", () => {
  const found = caseOf("race to 64");
  const shown = shownOf(found);
  const finals = [...shown.finals, { seat: 4, cells: shown.finals[0].cells }];
  assert.equal(failures(found.replay, { ...shown, finals })[FINALS], "At the end this browser was shown a board of seat 4, which is not here.");
});

test("a name that runs from right to left turns nothing in what is checked and said", () => {
  const { replay } = caseOf("offers are declined");
  for (const racer of replay.seats) racer.name = "דנה";
  const named = checked({ ...replay, verdict: { ...replay.verdict, tied: [1, 2] } }).flatMap(({ what, found }) => [what, found]);
  named.push(...timelineOf(readReplay(replay)).marks.map((mark) => markWords(replay, mark)));
  const said = named.filter((words) => words.includes("דנה"));
  assert.ok(said.length > 8);
  for (const words of said) assert.doesNotMatch(words, /(?<!\u2068)דנה|דנה(?!\u2069)/);
});

test("a name that runs from right to left turns nothing in why an answer is no race", () => {
  const { replay } = caseOf("race to 64");
  replay.seats[0].name = "דנה";
  assert.throws(() => readReplay({ ...replay, order: replay.order.slice(1) }), /\u2068דנה\u2069 has 56 slides/);
});

test("rules, a name or a seat other than at the deal are found, and what they were", () => {
  /** @type {((replay: any) => void)[]} */
  const changes = [
    (replay) => { replay.rules = { ...replay.rules, clock_s: 7 }; },
    (replay) => { replay.seats[1].name = "Eve"; },
    (replay) => { replay.seats.at(-1).seat = 4; },
  ];
  for (const change of changes) {
    const found = caseOf("race to 64");
    const shown = shownOf(found);
    const replay = structuredClone(found.replay);
    change(replay);
    if (replay.seats.at(-1).seat === 4) replay.order = replay.order.map((/** @type {number} */ seat) => (seat === found.replay.seats.at(-1)?.seat ? 4 : seat));
    assert.match(failures(replay, shown)[DEALT], /^This browser was shown Target 64, no clock, .*Ann.* in seat 1, .* when the race was dealt, and now /);
  }
});

test("a tile that the seed does not make is found, though all boards at the end fit the seed", () => {
  const found = caseOf("race to 64");
  const shown = shownOf(found);
  const own = /** @type {import("../../web-gateway/src/web_gateway/page/js/race/own-tiles.js").Seen} */ (shown.own);
  const other = own.tiles[4] === "0" ? "3" : "0";
  const wrong = failures(found.replay, { ...shown, own: { ...own, tiles: own.tiles.slice(0, 4) + other + own.tiles.slice(5) } });
  assert.deepEqual(Object.keys(wrong), [OWN]);
  assert.match(wrong[OWN], /^After your slide 5 this browser was shown a [24] in row 1, column \d, and the seed makes a [24] in row \d, column \d\.$/);
});

test("a slide that this browser saw and the log leaves out is found", () => {
  const found = caseOf("race to 64");
  const shown = shownOf(found);
  const own = /** @type {import("../../web-gateway/src/web_gateway/page/js/race/own-tiles.js").Seen} */ (shown.own);
  const wrong = failures(found.replay, { ...shown, own: { ...own, tiles: `${own.tiles}0` } });
  assert.equal(wrong[OWN], `This browser was shown your slide ${own.tiles.length + 1}, which is not in the log.`);
});
