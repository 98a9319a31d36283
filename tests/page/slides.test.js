import assert from "node:assert/strict";
import { test } from "node:test";
import { boardOfValues, EMPTY_BOARD } from "../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { drawsOf } from "../../web-gateway/src/web_gateway/page/js/engine/draws.js";
import { racerAfter, racerAtStart } from "../../web-gateway/src/web_gateway/page/js/engine/racer.js";
import { DIRECTIONS } from "../../web-gateway/src/web_gateway/page/js/engine/slide.js";
import * as outbox from "../../web-gateway/src/web_gateway/page/js/race/slides.js";
import { TinyServer } from "./tiny_server.js";

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/engine/slide.js").Direction} Direction */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").SlideFrame} SlideFrame */
/** @typedef {import("./tiny_server.js").Answer} Answer */

/** @param {number} state @returns {() => number} numbers from 0 to 1, the same for the same state (mulberry32) */
function chances(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A page and a server with wires between them that carry frames in order, slowly, until they break. */
class Net {
  slides = outbox.noSlides(1, "c", EMPTY_BOARD);
  now = 0;
  /** @type {SlideFrame[]} */
  up = [];
  /** @type {Answer[]} */
  down = [];
  /** @type {Map<string, SlideFrame>} */
  sent = new Map();
  mostInFlight = 0;

  /** @param {TinyServer} server */
  constructor(server) {
    this.server = server;
    this.down.push(server.snapshot());
  }

  pump() {
    const { slides, frames } = outbox.pump(this.slides, this.now);
    this.slides = slides;
    this.up.push(...frames);
    for (const frame of frames) this.sent.set(frame.id, frame);
    this.mostInFlight = Math.max(this.mostInFlight, slides.unanswered.length);
  }

  /** @param {Direction} direction */
  press(direction) {
    this.slides = outbox.pressed(this.slides, direction);
    this.pump();
  }

  /** Sends keys as if a board not yet known had made all of them seem useful. @param {Direction[]} directions */
  sendBlind(directions) {
    const { board } = this.slides;
    const keys = directions.map((direction, index) => ({ serial: index + 1, direction }));
    this.slides = { ...this.slides, board: boardOfValues([0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), serial: keys.length, keys };
    this.pump();
    this.slides = { ...this.slides, board };
  }

  /** @param {string | null} [busy] */
  arrive(busy = null) {
    const frame = this.up.shift();
    if (frame !== undefined) this.down.push(...this.server.answer(frame, busy));
  }

  hear() {
    const answer = this.down.shift();
    if (answer?.kind === "board") this.slides = outbox.boardCame(this.slides, answer);
    if (answer?.kind === "refused") this.slides = outbox.slideRefused(this.slides, { re: answer.re, code: answer.code, at: this.now });
    this.pump();
  }

  /** The connection breaks: some of what was under way still arrives, no answer does, and a new one begins. @param {number} arriving */
  breakDown(arriving) {
    for (let index = 0; index < arriving; index += 1) this.arrive();
    this.up = [];
    this.down = [];
    this.slides = outbox.disconnected(this.slides);
    this.pump();
  }

  /** The page attaches anew. */
  comeBack() {
    this.up = [];
    this.down = [this.server.snapshot()];
  }

  /** The gateway's link breaks behind the socket: what is unanswered goes again, in order, to another replica. */
  resend() {
    this.down = [];
    this.up = this.slides.unanswered.map(({ id }) => /** @type {SlideFrame} */ (this.sent.get(id)));
  }

  /** Lets all settle. */
  settle() {
    for (let step = 0; step < 5000 && (this.up.length > 0 || this.down.length > 0 || this.slides.keys.length > 0); step += 1) {
      this.now += 50;
      this.arrive();
      this.hear();
    }
  }
}

/** @param {Uint8Array} seed @param {Direction[]} keys the board that those keys make, each judged on the board before it */
function racerOfKeys(seed, keys) {
  const draws = drawsOf(seed);
  return keys.reduce((racer, key) => racerAfter(racer, key, draws) ?? racer, racerAtStart(draws));
}

/**
 * Types keys at random over a net with faults, and checks that in the end the server has made of them what they mean.
 * @param {number} number of the run, which fixes everything
 * @param {{busy?: number, broken?: number, lost?: number, relinked?: number}} faults
 */
function playThrough(number, { busy = 0, broken = 0, lost = 0, relinked = 0 }) {
  const chance = chances(number);
  const seed = Uint8Array.from({ length: 32 }, () => Math.floor(chance() * 256));
  const net = new Net(new TinyServer(seed));
  net.hear();
  /** @type {Direction[]} */
  const keys = [];
  for (let step = 0; step < 300; step += 1) {
    net.now += Math.floor(chance() * 40);
    const what = chance();
    if (what < 0.35) keys.push(DIRECTIONS[Math.floor(chance() * 4)]), net.press(keys[keys.length - 1]);
    else if (what < 0.65) net.arrive(chance() < busy ? ["TOO_FAST", "UNAVAILABLE", "NOT_STARTED_YET"][Math.floor(chance() * 3)] : null);
    else net.hear();
    if (net.slides.open && chance() < relinked) net.resend();
    if (chance() < broken) {
      net.breakDown(Math.floor(chance() * net.up.length));
      if (chance() < lost) net.server.lose(Math.floor(chance() * 20));
      for (let more = Math.floor(chance() * 3); more > 0; more -= 1) keys.push(DIRECTIONS[Math.floor(chance() * 4)]), net.press(keys[keys.length - 1]);
      net.comeBack();
    }
  }
  net.settle();
  const meant = racerOfKeys(seed, keys);
  assert.deepEqual(net.server.racer, meant, `run ${number}: the server made of the keys what they mean`);
  assert.deepEqual(outbox.predicted(net.slides), meant.board, `run ${number}: the page shows the server's board`);
  assert.equal(net.slides.base, meant.slides, `run ${number}: the page counts as the server does`);
  assert.ok(net.mostInFlight <= outbox.IN_FLIGHT, `run ${number}: never more than eight in flight`);
}

test("no key is lost or doubled, useless ones among them, however slow the answers are", () => {
  for (let number = 0; number < 150; number += 1) playThrough(number, {});
});

test("no key is lost or doubled when the server is too busy now and then", () => {
  for (let number = 1000; number < 1150; number += 1) playThrough(number, { busy: 0.15 });
});

test("no key is lost or doubled when connections break with slides and answers under way", () => {
  for (let number = 2000; number < 2150; number += 1) playThrough(number, { busy: 0.05, broken: 0.05 });
});

test("no key is lost or doubled when the gateway's link breaks behind the socket", () => {
  for (let number = 4000; number < 4150; number += 1) playThrough(number, { busy: 0.05, broken: 0.02, relinked: 0.08 });
});

test("a server that lost its last slides is given them again and reaches the identical board", () => {
  for (let number = 3000; number < 3150; number += 1) playThrough(number, { busy: 0.05, broken: 0.05, lost: 0.6 });
});

/** @param {readonly number[]} board @returns {{useless: Direction, useful: Direction}} */
function kinds(board) {
  const changes = (/** @type {Direction} */ direction) => outbox.pressed({ ...outbox.noSlides(1, "c", board), open: true }, direction).keys.length > 0;
  const useless = DIRECTIONS.find((direction) => !changes(direction));
  const useful = DIRECTIONS.find(changes);
  if (useless === undefined || useful === undefined) throw new Error("every slide changes this board");
  return { useless, useful };
}

/** @returns {{net: Net, useless: Direction, useful: Direction}} a net at a board that has a useless slide */
function atEdge() {
  for (let first = 1; ; first += 1) {
    const net = new Net(new TinyServer(new Uint8Array(32).fill(first)));
    net.hear();
    for (const direction of /** @type {Direction[]} */ (["left", "up"])) net.press(direction), net.settle();
    if (DIRECTIONS.some((direction) => outbox.pressed(net.slides, direction).keys.length === 0)) return { net, ...kinds(net.slides.board) };
  }
}

test("with nothing under way a useless key is not sent", () => {
  const { net, useless } = atEdge();
  net.press(useless);
  assert.deepEqual(net.up, []);
  assert.deepEqual(net.slides.keys, []);
});

test("once all is settled, useless keys that come first are not sent", () => {
  const { net, useful, useless } = atEdge();
  const keys = [useless, useless, useful].map((direction, index) => ({ serial: index + 1, direction }));
  net.slides = { ...net.slides, serial: 3, keys };
  net.pump();
  assert.deepEqual(net.up.map(({ direction }) => direction), [useful]);
});

test("a key behind a useless one goes again under the freed number only when all before has been answered", () => {
  const { net, useful, useless } = atEdge();
  const { base } = net.slides;
  net.sendBlind([useless, useful]);
  assert.deepEqual(net.up.map(({ n }) => n), [base + 1, base + 2]);
  net.arrive();
  net.hear();
  net.hear();
  assert.deepEqual(net.up.map(({ n }) => n), [base + 2], "the copy under the old number is still under way, so nothing is sent");
  net.arrive();
  net.hear();
  assert.deepEqual(net.up.map(({ n, direction }) => [n, direction]), [[base + 1, useful]]);
});

test("a key is not doubled when the gateway sends what was unanswered again to another replica", () => {
  const { net, useful, useless } = atEdge();
  const { base } = net.slides;
  net.sendBlind([useless, useful]);
  net.arrive();
  net.hear();
  net.arrive();
  net.resend();
  net.settle();
  assert.equal(net.server.directions.length, base + 1);
});

test("keys beyond eight in flight wait and go when there is room", () => {
  const net = new Net(new TinyServer(new Uint8Array(32)));
  net.hear();
  for (let index = 0; index < 12; index += 1) net.press(DIRECTIONS[index % 2 === 0 ? 2 : 0]);
  assert.ok(net.up.length <= outbox.IN_FLIGHT);
  assert.ok(net.slides.keys.length > outbox.IN_FLIGHT - 1);
  net.settle();
  assert.deepEqual(net.slides.keys, []);
});

test("a board that is ahead of everything sent is taken as it is", () => {
  const { net } = atEdge();
  const slides = outbox.boardCame(net.slides, { n: 40, board: net.slides.board });
  assert.equal(slides.base, 40);
  assert.deepEqual(slides.history, []);
});

test("a conflict drops the keys and what could be offered again: the server's board wins", () => {
  const { net, useful } = atEdge();
  net.press(useful);
  const slides = outbox.slideRefused(net.slides, { re: net.up[0].id, code: "SLIDE_CONFLICT", at: 0 });
  assert.deepEqual([slides.keys, slides.history, slides.settling], [[], [], false]);
});

test("the last 64 slides are kept, and no more", () => {
  const net = new Net(new TinyServer(new Uint8Array(32).fill(3)));
  net.hear();
  for (let index = 0; index < 300; index += 1) net.press(DIRECTIONS[index % 4]), net.settle();
  assert.ok(net.slides.base > outbox.KEPT);
  assert.deepEqual(net.slides.history, net.server.directions.slice(-outbox.KEPT));
});

test("a slide without an answer is overdue after a while, and only then", () => {
  const { net, useful } = atEdge();
  net.press(useful);
  assert.equal(outbox.isOverdue(net.slides, net.now + outbox.ANSWER_TIMEOUT_MS), false);
  assert.equal(outbox.isOverdue(net.slides, net.now + outbox.ANSWER_TIMEOUT_MS + 1), true);
  net.settle();
  assert.equal(outbox.isOverdue(net.slides, net.now + 60_000), false);
});
