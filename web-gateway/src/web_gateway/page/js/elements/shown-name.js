import { el } from "../dom.js";

/** The number that tells names apart that look alike. */
const NUMBERED = /^(.+)( \d{1,2}\u2069?)$/s;

/**
 * Shows a name in an element, in two parts: where there is little room, what stands before its number gives way.
 * @param {HTMLElement} element
 * @param {string} name
 */
export function showName(element, name) {
  if (element.textContent === name) return;
  const [, stem = name, number = ""] = NUMBERED.exec(name) ?? [];
  element.replaceChildren(el("span", { text: stem }), ...(number === "" ? [] : [el("span", { class: "told-by", text: number })]));
}
