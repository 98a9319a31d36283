/** Targets in the page: each takes a text, and throws where it is taken for what it is not. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";
import { boardOfValues, isBoard, valueOf } from "../../../web-gateway/src/web_gateway/page/js/engine/board.js";
import { DIRECTIONS } from "../../../web-gateway/src/web_gateway/page/js/engine/slide.js";
import { Preferences } from "../../../web-gateway/src/web_gateway/page/js/preferences.js";
import { Commitments } from "../../../web-gateway/src/web_gateway/page/js/race/commitments.js";
import { parseFrame } from "../../../web-gateway/src/web_gateway/page/js/race/frames.js";
import { Kept } from "../../../web-gateway/src/web_gateway/page/js/race/kept.js";
import { keepRules, knownRules } from "../../../web-gateway/src/web_gateway/page/js/race/known-rules.js";
import { boardCame, IN_FLIGHT, KEPT, pressed, pump } from "../../../web-gateway/src/web_gateway/page/js/race/slides.js";
import { BadReplay, readReplay } from "../../../web-gateway/src/web_gateway/page/js/replay/answer.js";
import { motionsOf, positionAt, racerAt, timeAt, timelineOf } from "../../../web-gateway/src/web_gateway/page/js/replay/timeline.js";
import { verify } from "../../../web-gateway/src/web_gateway/page/js/replay/verify.js";
import { markWords } from "../../../web-gateway/src/web_gateway/page/js/replay/words.js";
import { isOver, lastMotions, slideGame, undone } from "../../../web-gateway/src/web_gateway/page/js/solo/game.js";
import { KEY, SoloStorage } from "../../../web-gateway/src/web_gateway/page/js/solo/storage.js";
import { CASES } from "../../page/replay_cases.js";
import { races } from "./races.js";

/** @param {Record<string, string>} [kept] @returns {Storage} */
function shelf(kept = {}) {
  const store = new Map(Object.entries(kept));
  return /** @type {any} */ ({ getItem: (/** @type {string} */ key) => store.get(key) ?? null, setItem: (/** @type {string} */ key, /** @type {string} */ value) => void store.set(key, String(value)), removeItem: (/** @type {string} */ key) => void store.delete(key) });
}

/** A game that is read can be played on, taken back, kept, and is read as the same again. @param {string} text */
function soloGames(text) {
  const kept = shelf({ [KEY.game]: text, [KEY.best]: text, [KEY.choice]: text });
  const storage = new SoloStorage(() => kept);
  const { mode, undo } = storage.choice();
  assert.ok(["classic", "endless"].includes(mode) && ["one", "none"].includes(undo));
  for (const best of Object.values(storage.best())) assert.ok(Number.isSafeInteger(best) && best >= 0 && best <= 4_000_000);
  const game = storage.game();
  if (game === null) return;
  assert.ok(isBoard(game.board) && game.score >= 0 && game.slides >= 0);
  assert.ok(storage.keepGame(game));
  assert.deepEqual(storage.game(), game);
  const made = DIRECTIONS.map((direction) => slideGame(game, direction, () => new Uint8Array(16))).filter((slid) => slid !== null);
  assert.equal(made.length === 0, isOver(game));
  for (const { game: next } of made) assert.ok(isBoard(next.board) && next.score >= game.score);
  lastMotions(game);
  const back = undone(game);
  assert.ok(isBoard(back.board) && back.score <= game.score);
  for (const direction of DIRECTIONS) slideGame(back, direction, () => new Uint8Array(16));
}

/** Slides that are read are offered again as they were kept, and a seat is that of this table only. @param {string} text */
function keptSlides(text) {
  const [tab, browser] = [shelf({ "tilerace.slides.T": text }), shelf({ "tilerace.sat": text })];
  const kept = new Kept("T", { tab: () => tab, browser: () => browser });
  const { sat, slides } = kept;
  if (sat !== null) {
    assert.ok(Number.isSafeInteger(sat.race) && JSON.parse(text).table === "T");
    kept.keepSat(sat);
    assert.deepEqual(kept.sat, sat);
  }
  if (slides === null) return;
  assert.ok(slides.history.length <= Math.min(KEPT, slides.base) && slides.history.every((direction) => DIRECTIONS.includes(direction)));
  kept.keepSlides({ ...slides, commitment: slides.commitment || "c" });
  assert.deepEqual(kept.slides, { ...slides, commitment: slides.commitment || "c" });
  const board = boardOfValues([2, 4, 2, 4, 8, 16, 8, 16, 0, 0, 0, 0, 2, 2, 4, 4]);
  for (const n of [0, slides.base - 3, slides.base, slides.base + 2]) {
    const { frames } = pump(pressed(boardCame(slides, { n, board, re: null }), "left"), 0);
    assert.ok(frames.length <= IN_FLIGHT && frames.every((frame) => Number.isSafeInteger(frame.n)));
  }
}

/** Whatever is kept of choices, each is one of those there are. @param {string} text */
function choices(text) {
  const kept = shelf({ "tilerace.theme": text, "tilerace.sounds": text, "tilerace.vibration": text, "tilerace.rules": text });
  const preferences = new Preferences(() => kept);
  const known = () => assert.ok(["system", "light", "dark"].includes(preferences.get("theme")) && ["off", "on"].includes(preferences.get("sounds")) && ["off", "on"].includes(preferences.get("vibration")));
  known();
  preferences.follow({ key: "tilerace.theme", newValue: text });
  preferences.choose("sounds", text);
  known();
  const rules = knownRules(() => kept);
  if (rules === null) return;
  keepRules(rules, () => kept);
  assert.deepEqual(knownRules(() => kept), rules);
}

/** The race of fewest slides. */
const SHORT = readReplay(CASES.map(({ replay }) => replay).toSorted((one, other) => one.order.length - other.order.length).find(({ order }) => order.length > 2));

/** What a browser was shown of races is read as far as it can be, and Verify can hold any of it against any replay. @param {string} text */
function shownRaces(text) {
  const kept = shelf({ "tilerace.race.commitments": text });
  const shown = new Commitments(() => kept).of("T", 1);
  for (const check of verify(SHORT, shown)) seen(check);
}

/** A race that is read can be laid out, shown at any time, put into words and verified, whether it holds or not. @param {string} text */
function replays(text) {
  let replay;
  try {
    replay = readReplay(JSON.parse(text));
  } catch (wrong) {
    if (wrong instanceof SyntaxError) return;
    assert.ok(wrong instanceof BadReplay && wrong.message !== "");
    return;
  }
  const { seats, verdict } = replay;
  assert.ok(seats.every(({ seat }) => [1, 2, 3, 4].includes(seat)) && (verdict.winner === null || seats.some(({ seat }) => seat === verdict.winner)));
  assert.equal(new Set(verdict.tied).size, verdict.tied.length);
  const timeline = timelineOf(replay);
  assert.ok(timeline.from <= timeline.to && !Number.isNaN(timeline.to));
  const positions = timeline.log.length;
  for (const at of [0, positions >> 1, positions]) {
    const there = positionAt(timeline, timeAt(timeline, at));
    assert.ok(there >= at && there <= positions);
    for (const lane of timeline.lanes) {
      const { board, score, slides } = racerAt(lane, at);
      assert.ok(isBoard(board) && score >= 0 && slides <= positions);
      if (slides > 0) motionsOf(timeline, lane, slides);
    }
  }
  for (const mark of timeline.marks) assert.equal(typeof markWords(replay, mark), "string");
  for (const check of verify(replay, null)) seen(check);
}

/** @param {import("../../../web-gateway/src/web_gateway/page/js/replay/verify.js").Check | null} check */
function seen(check) {
  if (check === null) return;
  assert.ok(check.what !== "" && check.found !== "" && [true, false, null].includes(check.holds));
  assert.doesNotMatch(check.found, /undefined|NaN|\[object/);
}

/** A text is a frame with a type, or none. @param {string} text */
function frames(text) {
  const frame = parseFrame(text);
  assert.ok(frame === null || typeof frame.type === "string");
}

/** What the worker listens for. @type {Map<string, any>} */
const HEARD = new Map();
const ANSWER = { status: 200 };
const self = { addEventListener: (/** @type {string} */ kind, /** @type {any} */ listener) => HEARD.set(kind, listener), location: { origin: "http://here" }, clients: {} };
const WORKER = readFileSync(new URL("../../../web-gateway/src/web_gateway/page/sw.js", import.meta.url), "utf8")
  .replace('{ build: "", files: [], shells: [], offline: "" }', '{ build: "b", files: [], shells: [["^/t/[^/]*/replay/", "/replay"], ["^/$", "/"]], offline: "/offline" }');
vm.runInNewContext(WORKER, { self, URL, Promise, RegExp, setTimeout: () => 0, fetch: async () => ANSWER, caches: { match: async () => undefined } }, "/web_gateway/page/sw.js");

/** The worker answers only what is read of its own origin, and never for the interface. @param {string} text */
function workerFetches(text) {
  const [method, url, mode] = text.split("\n");
  if (!URL.canParse(url ?? "")) return;
  let answered = false;
  HEARD.get("fetch")({ request: { method, url, mode }, respondWith: (/** @type {Promise<unknown>} */ promise) => {
    answered = true;
    promise.then(() => null, () => null);
  } });
  const { origin, pathname } = new URL(url);
  if (answered) assert.ok(method === "GET" && origin === "http://here" && !pathname.startsWith("/api/"));
  if (mode === "navigate" && method === "GET" && origin === "http://here" && !pathname.startsWith("/api/")) assert.ok(answered);
}

/** @type {Record<string, (text: string) => void>} */
export const TARGETS = {
  solo_games: soloGames, kept_slides: keptSlides, choices, shown_races: shownRaces, replays, frames, worker_fetches: workerFetches, races,
};
