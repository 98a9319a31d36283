/** Frames as the server sends them, for the tests of the reducer. */

/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").TableFrame} TableFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").RaceFrame} RaceFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").BoardFrame} BoardFrame */
/** @typedef {import("../../web-gateway/src/web_gateway/page/js/race/frames.js").HelloFrame} HelloFrame */

export const NOW = 1_000_000;

/** @type {HelloFrame} */
export const HELLO = { type: "hello", build: "b", link: "http://h/t/K7QM2XWP", reach: "network", clocks_s: [60, 180], countdown_ms: 3000, ping_ms: 10_000, grace_ms: 60_000, now: NOW };

/** @param {Partial<TableFrame>} [more] @returns {TableFrame} Ann, the host, who is you, and Ben */
export function tableFrame(more = {}) {
  const seats = [
    { seat: 1, name: "Ann", ready: true, connected: true, away_until: null, tally: 0 },
    { seat: 2, name: "Ben", ready: true, connected: true, away_until: null, tally: 0 },
    { seat: 3, name: null },
    { seat: 4, name: null },
  ];
  return { type: "table", version: 5, table: "K7QM2XWP", phase: "gathering", host: 1, seats, watchers: 0, rules: { target: 2048, clock_s: null }, race: null, you: { seat: 1, host: true }, now: NOW, ...more };
}

/** @param {Partial<TableFrame>} [more] @param {number} [number] @returns {TableFrame} */
export function racingTable(more = {}, number = 1) {
  const racers = [{ seat: 1, name: "Ann" }, { seat: 2, name: "Ben" }];
  const race = { number, rules: { target: 2048, clock_s: null }, starts_at: NOW + 3000, deadline: null, ended_at: null, commitment: `c${number}`, racers };
  return tableFrame({ version: 6, phase: "countdown", race, ...more });
}

/** @param {Partial<RaceFrame>} [more] @returns {RaceFrame} */
export function raceFrame(more = {}) {
  /** @type {RaceFrame["standings"]} */
  const standings = [1, 2].map((seat) => ({ seat, score: 0, biggest: 2, slides: 0, state: "sliding" }));
  return { type: "race", race: 1, version: 1, standings, offer: null, last_offer: null, verdict: null, now: NOW, ...more };
}

/** @param {Partial<BoardFrame>} [more] @returns {BoardFrame} */
export function boardFrame(more = {}) {
  return { type: "board", race: 1, n: 0, cells: [0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0], score: 0, stuck: false, slide: null, tile: null, re: null, ...more };
}
