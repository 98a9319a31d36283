import { SHORT_MS } from "./awaited.js";
import { keptWords } from "./own-moves.js";
import { isNewer, isRunning, isUnknown } from "./view.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {{readonly text: string, readonly event: "retry" | "reload" | "later" | "move"}} Choice */
/** `when` changes every second and with every move, and is not for the ear. @typedef {{readonly kind: "lost" | "newer" | "unknown", readonly words: string, readonly when: string, readonly choices: readonly Choice[]}} Banner */

/** @type {readonly Choice[]} */
const RETRY = [{ text: "Try now", event: "retry" }];
/** @type {readonly Choice[]} */
const RELOAD = [{ text: "Load it", event: "reload" }, { text: "Later", event: "later" }];
/** @type {readonly Choice[]} */
const MOVE = [{ text: "Go there", event: "move" }, { text: "Stay", event: "later" }];
/** @type {readonly Choice[]} */
const STAY = [{ text: "Go on", event: "later" }];

const AWAY = "The server is not answering just now; it goes on by itself.";
const UNPASSED = "Something in between lets no WebSocket through; another network may do. Whoever runs the server: have the proxy in front pass WebSockets on, from the address in TILERACE_PUBLIC_URL.";

/**
 * What has to be said of the page as a whole, in front of whatever it shows.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {Banner | null}
 */
export function bannerOf(view, at) {
  if (view.lost !== null) return !view.lost.sentAway && at - view.lost.at < SHORT_MS ? null : lostBanner(view, at, view.lost.retryAt - at);
  if (isRunning(view, at)) return null;
  if (isUnknown(view)) return unknownBanner(view);
  if (!isNewer(view)) return null;
  return { kind: "newer", words: "There is a newer version of this page.", when: "", choices: RELOAD };
}

/** @param {View} view @returns {Banner} */
function unknownBanner({ cookies, hello }) {
  if (cookies === "blocked") return { kind: "unknown", words: "Your browser keeps no cookies, so it loses your seat when it reloads.", when: "", choices: STAY };
  const { host } = new URL(hello?.link ?? "");
  return { kind: "unknown", words: `The address of this page is https://${host}. Here your browser loses your seat when it reloads.`, when: "", choices: MOVE };
}

/** @param {View} view @param {number} at @param {number} wait @returns {Banner} */
function lostBanner(view, at, wait) {
  const kept = keptWords(view, at);
  const next = wait <= 0 ? "Trying again…" : `Next try in ${Math.ceil(wait / 1000)} s.`;
  const when = kept === "" ? next : `${kept} ${next}`;
  return { kind: "lost", words: lostWords(view, kept !== ""), when, choices: wait <= 0 ? [] : RETRY };
}

/**
 * What one who comes to the table, and has waited for some time, has to be told besides.
 * @param {View} view
 * @returns {string} "" where the banner says it all
 */
export function waitingWords({ lost, offline }) {
  if (offline) return lost === null ? "You are offline." : "";
  if (lost?.sentAway) return "";
  return lost?.unpassed ? UNPASSED : AWAY;
}

/** @param {View} view @param {boolean} racing @returns {string} */
function lostWords({ offline, table, lost }, racing) {
  if (lost?.sentAway) return "Too much was asked of the server from here: too many tabs, or too many wrong links.";
  if (offline && racing) return "You are offline.";
  if (offline) return "You are offline. This page comes back with your network.";
  if (lost?.unpassed) return "The server answers, but no WebSocket gets through to it.";
  return table === null ? "The server cannot be reached." : "The connection is lost.";
}
