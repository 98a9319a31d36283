import { clockName, stopped } from "../words.js";
import { verdictWords } from "./verdict.js";
import { nameOf } from "./view.js";

/** @typedef {import("./moments.js").Moment} Moment */
/** @typedef {import("./view.js").View} View */

/** Fewer seconds than these are over before they are said. */
const LEAST_S = 10;

/**
 * What a screen reader is to say of a moment, where nothing on the page says it by itself.
 * @param {Moment} moment
 * @param {View} view
 * @returns {string} "" for nothing
 */
export function spoken(moment, view) {
  switch (moment.kind) {
    case "count": return String(moment.seconds);
    case "go": return "Go!";
    case "left": return moment.seconds >= LEAST_S ? `${clockName(moment.seconds)} left.` : "";
    case "biggest": return `${nameOf(view, moment.seat)} has made a ${moment.biggest}.`;
    case "over": return overWords(view);
    case "stuck":
    case "sat":
    case "offer": return "";
  }
}

/** @param {View} view @returns {string} */
function overWords(view) {
  const { title, why } = verdictWords(view);
  return `${stopped(title)} ${why}`;
}
