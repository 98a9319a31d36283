import { maySlide } from "./view.js";

/** @typedef {import("./view.js").View} View */

/**
 * What becomes of one's own moves while the server is away or slow.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {string} "" for one who does not race
 */
export function keptWords(view, at) {
  return maySlide(view, at) || view.slides.keys.length > 0 ? "Your moves are kept." : "";
}
