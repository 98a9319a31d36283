import assert from "node:assert/strict";
import { test } from "node:test";
import { whyNotOffer } from "../../web-gateway/src/web_gateway/page/js/race/offer-wait.js";
import { reduce } from "../../web-gateway/src/web_gateway/page/js/race/reducer.js";
import { whyNotAgain } from "../../web-gateway/src/web_gateway/page/js/race/start.js";
import { FIRST_VIEW } from "../../web-gateway/src/web_gateway/page/js/race/view.js";
import { boardFrame, HELLO, NOW, raceFrame, racingTable } from "./frames_for_test.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").RaceFrame} RaceFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").ServerFrame} ServerFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/view.js").View} View */

/** @param {View} view @param {...ServerFrame} frames at local time 0, when the store's clock says NOW @returns {View} */
const hearing = (view, ...frames) => frames.reduce((before, frame) => reduce(before, { kind: "frame", frame, at: 0 }), view);

const inRace = () => hearing(reduce(FIRST_VIEW, { kind: "opened", at: 0 }), HELLO, racingTable({ phase: "racing" }), raceFrame(), boardFrame());

/** @param {number} by @returns {RaceFrame} */
const offered = (by) => raceFrame({ version: 2, offer: { by, agreed: [by], until: NOW + 30_000 } });

/** @param {number} by @returns {View} after an offer that was declined at NOW */
const declined = (by) => hearing(inRace(), offered(by), raceFrame({ version: 3, last_offer: { by, outcome: "declined", seat: 3 - by } }));

test("one may offer at once, and not while an offer stands or is on its way", () => {
  assert.equal(whyNotOffer(inRace(), 0), null);
  assert.equal(whyNotOffer(hearing(inRace(), offered(2)), 0), "An offer stands already.");
  assert.equal(whyNotOffer(reduce(inRace(), { kind: "ask", frame: { type: "offer", race: 1 }, at: 0 }), 0), "Your offer is on its way.");
});

test("after one's own offer it takes ten of one's own slides or twenty seconds, and says which remain", () => {
  const view = declined(1);
  assert.equal(whyNotOffer(view, 0), "Offer again after 10 more of your own slides, or 20 s.");
  assert.equal(whyNotOffer(hearing(view, boardFrame({ n: 4 })), 12_500), "Offer again after 6 more of your own slides, or 8 s.");
  assert.equal(whyNotOffer(hearing(view, boardFrame({ n: 10 })), 0), null);
  assert.equal(whyNotOffer(view, 20_000), null);
});

test("another's offer keeps nobody from offering, nor does one's own of a race before", () => {
  assert.equal(whyNotOffer(declined(2), 0), null);
  assert.equal(whyNotOffer(hearing(declined(1), racingTable({ version: 9, phase: "racing" }, 2), raceFrame({ race: 2 })), 0), null);
});

test("Play again takes two of the racers, and says for whom it waits", () => {
  const seats = (/** @type {object} */ change) => racingTable({ phase: "finished", seats: racingTable().seats.map((seat) => (seat.seat === 2 ? { ...seat, ...change } : seat)) });
  assert.equal(whyNotAgain(seats({})), null);
  assert.equal(whyNotAgain(seats({ connected: false })), "Waiting for Ben to come back.");
  assert.match(whyNotAgain(seats({ name: null })) ?? "", /^The others have left\./);
});
