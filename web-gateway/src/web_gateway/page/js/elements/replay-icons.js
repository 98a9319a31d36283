const SVG = "http://www.w3.org/2000/svg";

/** Ways in a field of 24 by 24; those that end in z are filled, others drawn as lines. */
const WAYS = {
  play: ["M8 5l11 7-11 7z"],
  pause: ["M7 5h3.6v14H7z", "M13.4 5H17v14h-3.6z"],
  on: ["M9.5 6l6 6-6 6"],
  back: ["M14.5 6l-6 6 6 6"],
  end: ["M7 6l6 6-6 6", "M17.5 6v12"],
  start: ["M17 6l-6 6 6 6", "M6.5 6v12"],
  link: ["M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L11.7 7.3", "M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.6-1.6"],
  verify: ["M12 3l7.5 2.8v5.4c0 4.6-3.2 7.9-7.5 9.8-4.3-1.9-7.5-5.2-7.5-9.8V5.8L12 3", "M8.7 12l2.4 2.4 4.3-4.7"],
  holds: ["M6 12.5l4 4 8-9"],
  fails: ["M7 7l10 10", "M17 7L7 17"],
  open: ["M7 12h10"],
};

/** @typedef {keyof typeof WAYS} Icon */

/**
 * A small drawing, for the eye only.
 * @param {Icon} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.dataset.icon = name;
  drawing.append(...WAYS[name].map(wayOf));
  return drawing;
}

/** @param {string} way @returns {SVGElement} */
function wayOf(way) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", way);
  path.setAttribute("class", way.endsWith("z") ? "filled" : "drawn-line");
  return path;
}
