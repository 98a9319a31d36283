import { isSlow } from "./awaited.js";
import { said, unsaid } from "./toasts.js";
import { nameOf } from "./view.js";

/** @typedef {import("./frames.js").Ask} Ask */
/** @typedef {import("./view.js").Pending} Pending */
/** @typedef {import("./view.js").View} View */

/** For how long something asked before a break is still meant. */
const STILL_MEANT_MS = 15_000;
/** The topic of what waits for the connection. */
const WAITING = "waiting";

/**
 * Something is asked of the server: sent at once, or once the table is there again.
 * @param {View} view
 * @param {Ask} frame
 * @param {number} at local milliseconds
 * @returns {View}
 */
export function asked(view, frame, at) {
  const serial = view.serial + 1;
  const id = `a${serial}`;
  const sent = view.line === "open" && view.heard.table;
  const out = sent ? [...view.out, { ...frame, id }] : view.out;
  const again = frame.type === "sit" ? { freed: null, leaving: false } : {};
  const now = { ...view, ...again, serial, out, pending: [...view.pending, { id, frame, at, sent }] };
  return view.line === "reconnecting" || (!sent && isSlow(view, at)) ? said(now, "This will be sent once you are back.", WAITING) : now;
}

/**
 * The table is there again: what was asked before the break is sent, while still meant.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {View}
 */
export function askedAgain(view, at) {
  const meant = unsaid(dropped(view, at), WAITING);
  const pending = meant.pending.map((one) => ({ ...one, sent: true }));
  return { ...meant, pending, out: [...meant.out, ...pending.map(({ id, frame }) => ({ ...frame, id }))] };
}

/**
 * What was asked too long ago is dropped, and that is said, while it cannot be sent.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {View}
 */
export function lapsed(view, at) {
  return view.line === "reconnecting" || (view.line === "open" && !view.heard.table) ? dropped(view, at) : view;
}

/** @param {View} view @param {number} at @returns {View} */
function dropped(view, at) {
  const old = view.pending.filter((one) => at - one.at >= STILL_MEANT_MS);
  if (old.length === 0) return view;
  const left = { ...view, pending: view.pending.filter((one) => !old.includes(one)) };
  return old.reduce((before, one) => said(before, droppedWords(before, one), `dropped ${one.frame.type}`), left.pending.length === 0 ? unsaid(left, WAITING) : left);
}

/** @param {View} view @param {Pending} pending @returns {string} what was sent before the break may have arrived */
function droppedWords(view, { frame, sent }) {
  return `${nameOfAsk(view, frame)} ${sent ? "may not have been done" : "was not done"}; the connection was away too long.`;
}

/** @param {View} view @param {Ask} frame @returns {string} */
function nameOfAsk(view, frame) {
  switch (frame.type) {
    case "sit": return "Sitting down";
    case "rename": return "Changing your name";
    case "ready": return frame.ready ? "Ready" : "Taking Ready back";
    case "rules": return "Changing the rules";
    case "start": return "Starting the race";
    case "free_seat": return `Freeing the seat of ${nameOf(view, frame.seat)}`;
    case "leave": return "Leaving the table";
    case "resign": return "Resigning";
    case "offer": return "Offering a draw";
    case "answer": return frame.agree ? "Agreeing to the draw" : "Declining the draw";
    case "race_on_without": return `Racing on without ${nameOf(view, frame.seat)}`;
    case "play_again": return "Playing again";
    case "change_settings": return "Changing the settings";
  }
}
