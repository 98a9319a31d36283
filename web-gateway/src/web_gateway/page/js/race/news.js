import { grouped, isolated, rulesLine } from "../words.js";
import { awayNews, seatNews } from "./seat-news.js";
import { nameOf, standingOf, verdictOf } from "./view.js";

/** @typedef {import("./frames.js").RaceFrame} RaceFrame */
/** @typedef {import("./frames.js").Standing} Standing */
/** @typedef {import("./frames.js").TableFrame} TableFrame */
/** @typedef {import("./seat-news.js").News} News */
/** @typedef {import("./view.js").View} View */

/**
 * What a table's frame tells that was not so before.
 * @param {View} before
 * @param {TableFrame} after
 * @returns {News[]}
 */
export function tableNews(before, after) {
  if (before.table === null) return [];
  const host = hostNews(before.table, after);
  const rules = rulesNews(before.table, after);
  return [...seatNews(before.table, after), ...awayNews(before, after), ...(host === null ? [] : [host]), ...(rules === null ? [] : [rules])];
}

/**
 * What a race's frame tells that was not so before, unless the verdict says it all.
 * @param {View} before
 * @param {RaceFrame} after
 * @returns {News[]}
 */
export function raceNews(before, after) {
  if (before.race === null || before.race.race !== after.race || after.verdict !== null || verdictOf(before) !== null) return [];
  const offer = offerNews(before, after);
  return [...after.standings.flatMap((standing) => standingNews(before, standing)), ...(offer === null ? [] : [offer])];
}

/** @param {TableFrame} before @param {TableFrame} after @returns {News | null} who the host has become */
function hostNews(before, after) {
  if (after.host === null || before.host === after.host) return null;
  if (after.you.host) return before.you.host ? null : ["You are the host now.", "host"];
  const { name } = after.seats.find(({ seat }) => seat === after.host) ?? { name: null };
  const same = before.seats.find(({ seat }) => seat === before.host)?.name === name;
  return same ? null : [`${isolated(name ?? "Somebody")} is the host now.`, "host"];
}

/** @param {TableFrame} before @param {TableFrame} after @returns {News | null} that other rules hold, and what follows for oneself */
function rulesNews(before, after) {
  const same = before.rules.target === after.rules.target && before.rules.clock_s === after.rules.clock_s;
  if (same || after.you.host || before.you.host) return null;
  const was = before.seats.find(({ seat }) => seat === before.you.seat)?.ready === true;
  return [`The rules have changed: ${rulesLine(after.rules)}.${was ? " Press Ready again if you are." : ""}`, "rules"];
}

/** @param {View} before @param {Standing} after @returns {News[]} which of the others can slide no more */
function standingNews(before, { seat, state, out, score }) {
  const had = standingOf(before, seat)?.state;
  if (had === undefined || had === state || seat === before.table?.you.seat) return [];
  const name = nameOf(before, seat);
  if (state === "stuck") return [[`${name} is stuck; a score of ${grouped(score)} stands.`, `stuck ${seat}`]];
  return state === "out" ? [[out === "left_behind" ? `The race goes on without ${name}.` : `${name} has resigned.`, `out ${seat}`]] : [];
}

/** @param {View} before @param {RaceFrame} after @returns {News | null} how an offer ended */
function offerNews(before, after) {
  const stood = before.race?.offer ?? null;
  if (stood === null || after.offer !== null || after.last_offer === null) return null;
  const words = endOfOffer(before, after.last_offer);
  return words === null ? null : [words, "offer"];
}

/** @param {View} before @param {import("./frames.js").ClosedOffer} closed @returns {string | null} */
function endOfOffer(before, { by, outcome, seat }) {
  const you = before.table?.you.seat ?? null;
  const offer = by === you ? "Your offer of a draw" : `${nameOf(before, by)}'s offer of a draw`;
  const who = seat === you ? "you" : nameOf(before, seat);
  switch (outcome) {
    case "declined": return seat === you ? `You declined ${offer}.` : `${offer} was declined by ${who}.`;
    case "slid": return `${offer} is off: ${who} slid on.`;
    case "lapsed": return `${offer} has lapsed.`;
    case "agreed": return null;
  }
}
