import { grouped } from "../words.js";
import { maySlide } from "./view.js";

/** @typedef {import("./view.js").View} View */

/**
 * What becomes of one's own moves while the server is away or slow, and how many of them wait.
 * @param {View} view
 * @param {number} at local milliseconds
 * @returns {string} "" for one who does not race
 */
export function keptWords(view, at) {
  const { length } = view.slides.keys;
  if (length === 0) return maySlide(view, at) ? "Your moves are kept." : "";
  return length === 1 ? "1 move kept." : `${grouped(length)} moves kept.`;
}
