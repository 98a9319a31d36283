/** @typedef {import("./view.js").View} View */

/** How many are kept. */
const KEPT = 4;
/** The topic of refusals, which are out of date as soon as something succeeds. */
const REFUSAL = "refusal";

/**
 * Says something; the same words, or others on the same topic, are not left standing beside it.
 * @param {View} view
 * @param {string} text
 * @param {string} [topic]
 * @returns {View}
 */
export function said(view, text, topic = text) {
  const serial = view.serial + 1;
  const others = view.toasts.filter((toast) => toast.text !== text && toast.topic !== topic);
  return { ...view, serial, toasts: [...others, { serial, text, topic }].slice(-KEPT) };
}

/**
 * Says what happened at the table, which is of no more use once the screen is another.
 * @param {View} view
 * @param {readonly import("./seat-news.js").News[]} news
 * @returns {View}
 */
export function newsSaid(view, news) {
  const heard = news.reduce((before, [words, topic]) => said(before, words, topic), view);
  const toasts = heard.toasts.map((toast) => (toast.serial > view.serial ? { ...toast, isNews: true } : toast));
  return heard === view ? view : { ...heard, toasts };
}

/**
 * The screen is another: what was news on the one before is none any more.
 * @param {View} view
 * @returns {View}
 */
export const newsGone = (view) => ({ ...view, toasts: view.toasts.filter(({ isNews }) => !isNews) });

/**
 * Says why something was refused.
 * @param {View} view
 * @param {string} text
 * @returns {View}
 */
export const refusalSaid = (view, text) => said(view, text, REFUSAL);

/**
 * Something succeeded.
 * @param {View} view
 * @returns {View}
 */
export const refusalGone = (view) => unsaid(view, REFUSAL);

/**
 * What was said on a topic is out of date.
 * @param {View} view
 * @param {string} topic
 * @returns {View}
 */
export function unsaid(view, topic) {
  const toasts = view.toasts.filter((toast) => toast.topic !== topic);
  return toasts.length === view.toasts.length ? view : { ...view, toasts };
}

/**
 * A toast was put away, or its time is over.
 * @param {View} view
 * @param {number} serial
 * @returns {View}
 */
export const dismissed = (view, serial) => ({ ...view, toasts: view.toasts.filter((toast) => toast.serial !== serial) });
