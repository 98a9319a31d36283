import assert from "node:assert/strict";
import { test } from "node:test";
import { predicted } from "../../web-gateway/src/web_gateway/page/js/race/slides.js";
import { reduce } from "../../web-gateway/src/web_gateway/page/js/race/reducer.js";
import { chosenRules, FIRST_VIEW, isAlive, screenOf } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { verdictWords } from "../../web-gateway/src/web_gateway/page/js/race/verdict.js";
import { boardFrame, HELLO, NOW, raceFrame, racingTable, tableFrame } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").ServerFrame} ServerFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

/** @param {View} view @param {...ServerFrame} frames all at local time 0, when the store's clock says NOW @returns {View} */
const hearing = (view, ...frames) => frames.reduce((before, frame) => reduce(before, { kind: "frame", frame, at: 0 }), view);

/** @param {...ServerFrame} frames @returns {View} */
const opened = (...frames) => hearing(reduce(FIRST_VIEW, { kind: "opened", at: 0 }), HELLO, ...frames);

const inCountdown = () => opened(racingTable(), raceFrame(), boardFrame());
const inRace = () => hearing(inCountdown(), racingTable({ version: 6, phase: "racing" }));

/** @param {View} view @param {import("../../web-gateway/src/web_gateway/page/js/engine/slide.js").Direction} direction @param {number} [at] */
const pressing = (view, direction, at = 5000) => reduce(view, { kind: "key", direction, at });

/** @param {View} view @returns {string[]} */
const words = (view) => view.toasts.map(({ text }) => text);

test("hello and table show who gathers", () => {
  const view = opened(tableFrame());
  assert.equal(view.hello?.reach, "network");
  assert.equal(screenOf(view, 0), "gathering");
});

test("an older table is not believed, and of equal ones the later counts", () => {
  const view = hearing(opened(tableFrame({ version: 9, watchers: 1 })), tableFrame({ version: 8, watchers: 7 }));
  assert.equal(view.table?.watchers, 1);
  assert.equal(hearing(view, tableFrame({ version: 9, watchers: 2 })).table?.watchers, 2);
});

test("on a new connection the first table counts, also where the store has lost its last moments", () => {
  const again = reduce(reduce(opened(tableFrame({ version: 9 })), { kind: "closed", why: "lost", at: 0 }), { kind: "opened", at: 0 });
  assert.equal(hearing(again, tableFrame({ version: 8 })).table?.version, 8);
});

test("an older race is not believed, nor an older version of it", () => {
  const view = hearing(inRace(), raceFrame({ version: 7 }), raceFrame({ version: 6 }));
  assert.equal(view.race?.version, 7);
  assert.equal(hearing(view, raceFrame({ race: 2, version: 1 })).race?.race, 2);
});

test("the boards come alive by the store's clock, and not before", () => {
  const view = inCountdown();
  assert.equal(screenOf(view, 2999), "countdown");
  assert.equal(screenOf(view, 3000), "racing");
  assert.equal(isAlive(inRace(), 0), true, "or when the server says so");
});

test("a key in the countdown is no slide", () => {
  const view = pressing(inCountdown(), "left", 2000);
  assert.deepEqual([view.out, view.slides.keys], [[], []]);
});

test("a key in the race is sent at once and shown at once", () => {
  const view = pressing(inRace(), "left");
  assert.deepEqual(view.out, [{ type: "slide", id: "s1", race: 1, n: 1, direction: "left" }]);
  assert.deepEqual(predicted(view.slides), [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
});

test("the answer's board replaces what was foreseen, and its round trip is felt", () => {
  const sent = pressing(inRace(), "left");
  const answer = boardFrame({ n: 1, cells: [2, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0], re: "s1" });
  const view = reduce(sent, { kind: "frame", frame: answer, at: 5040 });
  assert.deepEqual(view.slides.keys, []);
  assert.deepEqual(predicted(view.slides).slice(0, 4), [1, 0, 0, 1]);
  assert.equal(view.clock.roundTrip, 40);
});

test("keys behind a useless one are sent again under the freed number, and nobody is troubled with it", () => {
  const sent = pressing(pressing(inRace(), "left"), "left", 5001);
  const first = hearing(sent, boardFrame({ n: 1, cells: [2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 2, 0, 0, 0, 0], re: "s1" }));
  const pressed = pressing(first, "up", 5002);
  const useless = hearing(pressed, { type: "refused", re: "s2", of: "slide", code: "SLIDE_CHANGES_NOTHING", message: "m", n: 2 });
  const view = hearing(useless, { type: "refused", re: "s3", of: "slide", code: "SLIDE_OUT_OF_ORDER", message: "m", n: 3 });
  assert.deepEqual(view.out, [{ type: "slide", id: "s4", race: 1, n: 2, direction: "up" }]);
  assert.deepEqual(words(view), []);
});

test("slides under way are sent again after a reconnect, from where the server's board is", () => {
  const sent = pressing(pressing(inRace(), "left"), "down", 5001);
  const again = reduce(reduce(sent, { kind: "closed", why: "lost", at: 6000 }), { kind: "opened", at: 7000 });
  const view = hearing(again, HELLO, racingTable({ phase: "racing" }), raceFrame(), boardFrame({ n: 1, cells: [2, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0] }));
  assert.deepEqual(view.out, [{ type: "slide", id: "s3", race: 1, n: 2, direction: "down" }]);
});

test("slides of a race are not offered to one with another seed", () => {
  const sent = pressing(inRace(), "left");
  const again = reduce(reduce(sent, { kind: "closed", why: "lost", at: 6000 }), { kind: "opened", at: 7000 });
  const table = racingTable({ phase: "racing" });
  const dealtAnew = { ...table, race: table.race && { ...table.race, commitment: "another" } };
  assert.deepEqual(hearing(again, HELLO, dealtAnew, raceFrame(), boardFrame()).out, []);
});

test("a verdict ends the race before the table has settled, and later keys change nothing", () => {
  const view = hearing(inRace(), raceFrame({ version: 3, verdict: { winner: 1, tied: [], reason: "TARGET" } }));
  assert.equal(screenOf(view, 5000), "finished");
  assert.deepEqual(pressing(view, "left").out, []);
});

test("everyone is told who won and why, the winner as the winner", () => {
  const ended = (/** @type {number | null} */ seat) => hearing(opened(racingTable({ you: { seat, host: seat === 1 } })), raceFrame({ verdict: { winner: 1, tied: [], reason: "TIME_UP" } }));
  assert.deepEqual(verdictWords(ended(1)), { title: "You won!", why: "Time is up; highest score.", mood: "won" });
  assert.deepEqual(verdictWords(ended(2)), { title: "Ann won", why: "Time is up; highest score.", mood: "lost" });
  assert.equal(verdictWords(ended(null)).mood, "watched");
});

test("a tie names those who share it", () => {
  const ended = (/** @type {number | null} */ seat) => hearing(opened(racingTable({ you: { seat, host: false } })), raceFrame({ verdict: { winner: null, tied: [1, 2], reason: "AGREED" } }));
  assert.equal(verdictWords(ended(1)).title, "A draw with Ben");
  assert.equal(verdictWords(ended(null)).title, "A draw between Ann and Ben");
});

test("all boards come with the reveal", () => {
  const boards = [{ seat: 1, cells: new Array(16).fill(0) }];
  assert.deepEqual(hearing(inRace(), { type: "reveal", race: 1, seed: "00", boards }).reveal?.boards, boards);
});

test("the next race begins with nothing of the last one", () => {
  const over = hearing(pressing(inRace(), "left"), raceFrame({ version: 3, verdict: { winner: 1, tied: [], reason: "TARGET" } }));
  const view = hearing(over, racingTable({ version: 9 }, 2));
  assert.deepEqual([view.board, view.reveal, view.slides.keys], [null, null, []]);
  assert.equal(screenOf(view, 0), "countdown");
  const dealt = hearing(view, raceFrame({ race: 2, version: 1 }), boardFrame({ race: 2 }));
  assert.deepEqual(pressing(dealt, "left").out.map((frame) => frame.type === "slide" && [frame.race, frame.n]), [[2, 1]]);
});

test("a board of the race before is not shown in this one", () => {
  const view = hearing(opened(racingTable({}, 2), raceFrame({ race: 2 }), boardFrame({ race: 2 })), boardFrame({ race: 1, n: 30 }));
  assert.equal(view.board?.race, 2);
});

test("what is asked is sent with an id, and is under way until it is answered", () => {
  const asked = reduce(opened(tableFrame()), { kind: "ask", frame: { type: "start" }, at: 1 });
  assert.equal(asked.out.length, 1);
  const [{ id, type }] = /** @type {{id: string, type: string}[]} */ (asked.out);
  assert.equal(type, "start");
  assert.equal(asked.pending.length, 1);
  assert.deepEqual(hearing(asked, { type: "done", re: id }).pending, []);
});

test("rules that were chosen show at once, and stay if the next choice comes before the answer", () => {
  const asked = reduce(opened(tableFrame()), { kind: "ask", frame: { type: "rules", target: 512, clock_s: null }, at: 1 });
  assert.equal(chosenRules(asked).target, 512);
  assert.equal(chosenRules(hearing(asked, { type: "refused", re: asked.pending[0].id, of: "rules", code: "BAD_RULES", message: "m" })).target, 2048);
});

test("a name is one to come back with only once the server has taken it", () => {
  const asking = reduce(opened(tableFrame()), { kind: "ask", frame: { type: "rename", name: "Anne" }, at: 1 });
  const [{ id }] = asking.pending;
  assert.equal(asking.named, null);
  assert.equal(hearing(asking, { type: "refused", re: id, of: "rename", code: "BAD_NAME", message: "No." }).named, null);
  assert.equal(hearing(asking, { type: "done", re: id }).named, "Anne");
});

test("a refusal is said in words, and what was asked is under way no more", () => {
  const asked = reduce(opened(tableFrame()), { kind: "ask", frame: { type: "start" }, at: 1 });
  const view = hearing(asked, { type: "refused", re: asked.pending[0].id, of: "start", code: "NOT_ALL_READY", message: "Ben is not ready." });
  assert.deepEqual([view.pending, words(view)], [[], ["Ben is not ready."]]);
});

test("a refusal is not said any longer once something succeeds", () => {
  const asked = reduce(opened(tableFrame()), { kind: "ask", frame: { type: "start" }, at: 1 });
  const refused = hearing(asked, { type: "refused", re: asked.pending[0].id, of: "start", code: "NOT_ALL_READY", message: "Ben is not ready." });
  const again = reduce(refused, { kind: "ask", frame: { type: "start" }, at: 2 });
  assert.deepEqual(words(hearing(again, { type: "done", re: again.pending[0].id })), []);
});

test("what was asked while the connection was away is sent once the table is there again", () => {
  const away = reduce(opened(tableFrame()), { kind: "closed", why: "lost", at: 10 });
  const asked = reduce(away, { kind: "ask", frame: { type: "ready", ready: true }, at: 20 });
  assert.deepEqual(asked.out, []);
  const again = hearing(reduce(asked, { kind: "opened", at: 30 }), HELLO);
  assert.deepEqual(again.out, []);
  assert.deepEqual(hearing(again, tableFrame()).out, [{ type: "ready", ready: true, id: "a1" }]);
});

test("what is asked while the connection is away is said to be sent later, until it is", () => {
  const away = reduce(inRace(), { kind: "closed", why: "lost", at: 10 });
  const asked = reduce(away, { kind: "ask", frame: { type: "offer", race: 1 }, at: 20 });
  assert.deepEqual(words(asked), ["This will be sent once you are back."]);
  assert.deepEqual(words(hearing(reduce(asked, { kind: "opened", at: 30 }), HELLO, racingTable({ phase: "racing" }))), []);
});

test("what was asked too long ago is not done, and that is said by its name, also before the connection is back", () => {
  const away = reduce(inRace(), { kind: "closed", why: "lost", at: 10 });
  const asked = reduce(away, { kind: "ask", frame: { type: "race_on_without", race: 1, seat: 2 }, at: 20 });
  assert.equal(reduce(asked, { kind: "tick", at: 15_019 }).pending.length, 1);
  const late = reduce(asked, { kind: "tick", at: 15_020 });
  assert.deepEqual(words(late), ["Racing on without Ben was not done; the connection was away too long."]);
  const back = reduce(asked, { kind: "opened", at: 20_000 });
  const again = reduce(back, { kind: "frame", frame: racingTable({ phase: "racing" }), at: 20_001 });
  assert.deepEqual([again.out, words(again)], [[], words(late)]);
});

test("what was sent before the break may have been done", () => {
  const asked = reduce(inRace(), { kind: "ask", frame: { type: "resign", race: 1 }, at: 5000 });
  const late = reduce(reduce(asked, { kind: "closed", why: "lost", at: 5010 }), { kind: "tick", at: 20_000 });
  assert.deepEqual(words(late), ["Resigning may not have been done; the connection was away too long."]);
});

test("what a slow server was asked is not dropped, for it has it", () => {
  const asked = reduce(inRace(), { kind: "ask", frame: { type: "resign", race: 1 }, at: 5000 });
  const late = reduce(asked, { kind: "tick", at: 60_000 });
  assert.deepEqual([late.pending.length, words(late)], [1, []]);
});

test("another tab takes the table over: no key goes out, and it does not come back by itself", () => {
  const view = reduce(hearing(pressing(inRace(), "left"), { type: "moved" }), { kind: "closed", why: "moved", at: 5001 });
  assert.equal(view.line, "moved");
  assert.deepEqual(pressing(view, "left", 5002).out, []);
});

test("one who comes back from another tab does not meet what was known before", () => {
  const moved = reduce(hearing(pressing(inRace(), "left"), { type: "moved" }), { kind: "closed", why: "moved", at: 5001 });
  const back = reduce(moved, { kind: "opened", at: 6000 });
  assert.deepEqual([screenOf(back, 6000), back.board, back.race], ["waiting", null, null]);
});

test("a table that is gone is said to be", () => {
  assert.equal(reduce(opened(), { kind: "closed", why: "gone", at: 1 }).line, "gone");
});

test("a lost connection is being made anew, and the table stays in view", () => {
  const view = reduce(inRace(), { kind: "closed", why: "lost", at: 1 });
  assert.deepEqual([view.line, screenOf(view, 5000)], ["reconnecting", "racing"]);
});

test("a freed seat is said until one sits again", () => {
  const view = hearing(opened(tableFrame()), { type: "freed", why: "host" }, tableFrame({ version: 6, you: { seat: null, host: false } }));
  assert.equal(view.freed, "host");
  assert.equal(hearing(view, tableFrame({ version: 7 })).freed, null);
});

test("one who comes back to another race is told that it began without them, and otherwise that the seat was freed", () => {
  const seatless = { you: { seat: null, host: false } };
  const gone = (/** @type {View} */ view) => reduce(reduce(view, { kind: "closed", why: "lost", at: 1 }), { kind: "opened", at: 2 });
  assert.equal(hearing(gone(inRace()), HELLO, racingTable({ version: 9, ...seatless }, 2)).freed, "not_dealt");
  assert.equal(hearing(gone(opened(tableFrame())), HELLO, tableFrame({ version: 9, ...seatless })).freed, "absent");
  assert.equal(hearing(opened(tableFrame(seatless)), tableFrame({ version: 6, ...seatless })).freed, null);
});

test("who leaves is told that they left, in a race once their seat is free", () => {
  const leaving = (/** @type {View} */ view) => {
    const asked = reduce(view, { kind: "ask", frame: { type: "leave" }, at: 1 });
    return hearing(asked, { type: "done", re: asked.pending[0].id });
  };
  assert.equal(hearing(leaving(opened(tableFrame())), tableFrame({ version: 6, you: { seat: null, host: false } })).freed, "left");
  const racing = leaving(inRace());
  assert.equal(racing.freed, null);
  assert.equal(hearing(racing, racingTable({ version: 7, phase: "finished", you: { seat: null, host: false } })).freed, "left");
});

test("a new host is announced to all, to the new one as such", () => {
  const changed = (/** @type {number} */ seat) => hearing(opened(tableFrame({ you: { seat, host: false } })), tableFrame({ version: 6, host: 2, you: { seat, host: seat === 2 } }));
  assert.deepEqual(words(changed(2)), ["You are the host now."]);
  assert.deepEqual(words(changed(1)), ["Ben is the host now."]);
});

test("how an offer ended is said, unless the verdict says it", () => {
  const offered = hearing(inRace(), raceFrame({ version: 2, offer: { by: 2, agreed: [2], until: NOW + 30_000 } }));
  const slid = hearing(offered, raceFrame({ version: 3, last_offer: { by: 2, outcome: "slid", seat: 1 } }));
  assert.deepEqual(words(slid), ["Ben's offer of a draw is off: you slid on."]);
  const agreed = hearing(offered, raceFrame({ version: 3, last_offer: { by: 2, outcome: "agreed", seat: null }, verdict: { winner: null, tied: [1, 2], reason: "AGREED" } }));
  assert.deepEqual(words(agreed), []);
});

test("a pong sets the clock and shows the round trip", () => {
  const view = reduce(opened(tableFrame()), { kind: "frame", frame: { type: "pong", t: 100, now: NOW + 150 }, at: 200 });
  assert.equal(view.clock.roundTrip, 100);
});

test("frames of a newer release change nothing", () => {
  const view = opened(tableFrame());
  assert.deepEqual({ ...hearing(view, /** @type {any} */ ({ type: "weather" })), out: [] }, { ...view, out: [] });
});

test("the same words are shown once, and can be put away", () => {
  const twice = reduce(reduce(FIRST_VIEW, { kind: "say", text: "Hello", at: 0 }), { kind: "say", text: "Hello", at: 1 });
  assert.deepEqual(words(twice), ["Hello"]);
  assert.deepEqual(words(reduce(twice, { kind: "dismiss", serial: twice.toasts[0].serial, at: 2 })), []);
});

test("keys on a board that is not yet there, as after a reload, are none", () => {
  const blind = opened(racingTable({ phase: "racing" }), raceFrame());
  assert.deepEqual(pressing(blind, "left").slides.keys, []);
  const back = hearing(reduce({ ...inRace(), board: null }, { kind: "opened", at: 0 }), HELLO, racingTable({ phase: "racing" }), raceFrame());
  assert.deepEqual(pressing(back, "left").slides.keys, []);
});
