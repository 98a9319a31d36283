import { slide } from "../engine/slide.js";

/** @typedef {import("../engine/board.js").Board} Board */
/** @typedef {import("../engine/slide.js").Direction} Direction */
/** @typedef {import("../engine/slide.js").Motion} Motion */
/** @typedef {import("./frames.js").SlideFrame} SlideFrame */
/**
 * A key that was pressed and is not yet known to have been applied.
 * @typedef {{readonly serial: number, readonly direction: Direction}} Key
 */
/**
 * The slides of one race on their way to the server (docs/architecture.md, rules 4 and 5).
 *
 * Numbers are not stored: key number i (from 0) is slide `base + 1 + i`, so a key that turns out to be useless
 * renumbers those behind it by leaving. A key is sent under a new number only once every frame that carried it under
 * an old one has been answered on this connection, or the connection is gone; so no late copy can be applied too.
 * @typedef {object} Slides
 * @property {number} race the race's number
 * @property {string} commitment
 * @property {boolean} open whether slides can be sent: the board's snapshot has come on this connection
 * @property {number} base how many slides the server has told of
 * @property {Board} board the board after them
 * @property {readonly Direction[]} history the last of those slides, oldest first, up to 64
 * @property {readonly Key[]} keys
 * @property {number} sent how many keys, from the first, are or may be at the server
 * @property {readonly Sending[]} unanswered frames sent on this connection, oldest first
 * @property {boolean} settling whether something was refused, so that nothing is sent until all is answered
 * @property {number} holdUntil when sending may go on, in local milliseconds
 * @property {number} serial the last key's
 * @property {number} frame the last frame's
 */
/** @typedef {{readonly id: string, readonly serial: number, readonly at: number}} Sending */
/** @typedef {{readonly slides: Slides, readonly frames: readonly SlideFrame[]}} Pumped */

/** How many slides may be in flight. */
export const IN_FLIGHT = 8;
/** How many slides are kept to be offered again. */
export const KEPT = 64;
/** How many keys may wait; nobody types further ahead than this. */
export const KEYS = 256;
/** After how many milliseconds without an answer the connection is taken for dead. */
export const ANSWER_TIMEOUT_MS = 6000;
/**
 * Refusals that say "not now", with how many milliseconds to wait before the slide is sent again: the key stays.
 * @type {Readonly<Record<string, number>>}
 */
const FOR_NOW = { SLIDE_OUT_OF_ORDER: 0, NOT_STARTED_YET: 60, TOO_FAST: 150, UNAVAILABLE: 500 };

/**
 * No slides yet, in a race whose board is not yet known.
 * @param {number} race
 * @param {string} commitment
 * @param {Board} board
 * @returns {Slides}
 */
export const noSlides = (race, commitment, board) => ({
  race, commitment, board,
  open: false, base: 0, history: [], keys: [], sent: 0, unanswered: [], settling: false, holdUntil: 0, serial: 0, frame: 0,
});

/**
 * A key was pressed. With nothing on its way the board is known, and a slide that changes nothing is no slide; otherwise
 * tiles are missing from what is shown, and only the server can tell.
 * @param {Slides} slides
 * @param {Direction} direction
 * @returns {Slides}
 */
export function pressed(slides, direction) {
  const known = slides.keys.length === 0 && slides.unanswered.length === 0;
  if ((known && slide(slides.board, direction) === null) || slides.keys.length >= KEYS) return slides;
  const serial = slides.serial + 1;
  return { ...slides, serial, keys: [...slides.keys, { serial, direction }] };
}

/**
 * Sends what may be sent.
 * @param {Slides} slides
 * @param {number} at local milliseconds
 * @returns {Pumped}
 */
export function pump(slides, at) {
  if (!slides.open || slides.settling || at < slides.holdUntil) return { slides, frames: [] };
  return sending(usefulFirst(slides), at);
}

/** @param {Slides} slides @returns {Slides} with nothing at the server the board is known, and so is whether the next key is useless */
function usefulFirst(slides) {
  if (slides.sent > 0 || slides.unanswered.length > 0) return slides;
  const first = slides.keys.findIndex(({ direction }) => slide(slides.board, direction) !== null);
  return { ...slides, keys: first < 0 ? [] : slides.keys.slice(first) };
}

/** @param {Slides} slides @param {number} at @returns {Pumped} */
function sending(slides, at) {
  const room = Math.max(0, IN_FLIGHT - slides.unanswered.length);
  const next = slides.keys.slice(slides.sent, slides.sent + room);
  if (next.length === 0) return { slides, frames: [] };
  const frames = next.map((key, index) => frameOf(slides, key, index));
  const sendings = next.map((key, index) => ({ id: frames[index].id, serial: key.serial, at }));
  const unanswered = [...slides.unanswered, ...sendings];
  return { slides: { ...slides, unanswered, sent: slides.sent + next.length, frame: slides.frame + next.length }, frames };
}

/** @param {Slides} slides @param {Key} key @param {number} index among those sent now @returns {SlideFrame} */
function frameOf(slides, key, index) {
  const n = slides.base + slides.sent + index + 1;
  return { type: "slide", id: `s${slides.frame + index + 1}`, race: slides.race, n, direction: key.direction };
}

/**
 * A board came from the server, which is always right: in answer to a slide, after a refusal, or as a snapshot.
 * @param {Slides} slides
 * @param {{n: number, board: Board, re?: string | null}} news
 * @returns {Slides}
 */
export function boardCame(slides, { n, board, re = null }) {
  const heard = re === null ? slides : answered(slides, re);
  const opened = heard.open ? heard : { ...heard, open: true };
  return settled({ ...(n < opened.base ? rewound(opened, n) : advanced(opened, n)), base: n, board });
}

/**
 * The server has applied more: acknowledgements are cumulative.
 * @param {Slides} slides @param {number} n @returns {Slides}
 */
function advanced(slides, n) {
  const more = n - slides.base;
  const ours = slides.keys.slice(0, Math.min(more, slides.sent));
  // More than we sent: slides of this browser's other tab, or of this page before a reload. They are not ours to offer.
  const history = ours.length < more ? [] : [...slides.history, ...ours.map((key) => key.direction)].slice(-KEPT);
  return { ...slides, history, keys: slides.keys.slice(ours.length), sent: slides.sent - ours.length };
}

/**
 * The server's board is behind what it once told: it lost its last moments. The same slides make the same board again.
 * @param {Slides} slides @param {number} n @returns {Slides}
 */
function rewound(slides, n) {
  const lost = slides.base - n;
  if (lost > slides.history.length) return restarting({ ...slides, keys: [], history: [] });
  const again = slides.history.slice(slides.history.length - lost);
  const keys = again.map((direction, index) => ({ serial: slides.serial + 1 + index, direction }));
  const history = slides.history.slice(0, slides.history.length - lost);
  return restarting({ ...slides, history, serial: slides.serial + lost, keys: [...keys, ...slides.keys] });
}

/** @param {Slides} slides @returns {Slides} nothing counts as sent any more */
const restarting = (slides) => ({ ...slides, sent: 0, settling: slides.unanswered.length > 0 });

/**
 * A slide was refused. Its board follows as a snapshot.
 * @param {Slides} slides
 * @param {{re: string | null, code: string, at: number}} refusal
 * @returns {Slides}
 */
export function slideRefused(slides, { re, code, at }) {
  const sending = slides.unanswered.find(({ id }) => id === re);
  const heard = re === null ? slides : answered(slides, re);
  if (code === "SLIDE_CHANGES_NOTHING") return settled(without(heard, sending));
  const wait = FOR_NOW[code];
  if (wait !== undefined) return settled({ ...heard, settling: true, holdUntil: Math.max(heard.holdUntil, at + wait) });
  return settled({ ...heard, keys: [], history: [], sent: 0, settling: true });
}

/**
 * A useless key leaves, and those behind it move up.
 * @param {Slides} slides @param {Sending | undefined} sending @returns {Slides}
 */
function without(slides, sending) {
  const index = slides.keys.findIndex(({ serial }) => serial === sending?.serial);
  if (index < 0) return slides;
  const keys = slides.keys.filter((_, at) => at !== index);
  return { ...slides, keys, sent: slides.sent - (index < slides.sent ? 1 : 0), settling: slides.sent > 1 || slides.settling };
}

/** @param {Slides} slides @param {string} re @returns {Slides} answers come in order, so whatever was sent before is answered */
function answered(slides, re) {
  const index = slides.unanswered.findIndex(({ id }) => id === re);
  return index < 0 ? slides : { ...slides, unanswered: slides.unanswered.slice(index + 1) };
}

/** @param {Slides} slides @returns {Slides} once all is answered, everything left is sent again under its present number */
function settled(slides) {
  return slides.settling && slides.unanswered.length === 0 ? { ...slides, settling: false, sent: 0 } : slides;
}

/**
 * The connection is gone; what was sent may or may not have arrived, which the next snapshot tells.
 * @param {Slides} slides
 * @returns {Slides}
 */
export const disconnected = (slides) => ({ ...slides, open: false, unanswered: [], settling: true, holdUntil: 0 });

/**
 * Forgets all keys: the race is over, or another tab has it.
 * @param {Slides} slides
 * @returns {Slides}
 */
export const forgotten = (slides) => settled({ ...slides, keys: [], sent: 0, settling: true });

/**
 * Whether an answer is so late that the connection must be dead.
 * @param {Slides} slides
 * @param {number} at local milliseconds
 * @returns {boolean}
 */
export const isOverdue = (slides, at) => slides.unanswered.length > 0 && at - slides.unanswered[0].at > ANSWER_TIMEOUT_MS;

/**
 * The board to show: the server's, with the slides under way made at once, without the tiles only the server can draw.
 * @param {Slides} slides
 * @returns {Board}
 */
export const predicted = (slides) => slides.keys.reduce((board, { direction }) => slide(board, direction)?.board ?? board, slides.board);

/**
 * The ways of the tiles from a board that is shown to the predicted one, where the last key alone makes the difference.
 * @param {Board} shown
 * @param {Slides} slides
 * @returns {readonly Motion[]} none where it is a correction
 */
export function motionsTo(shown, slides) {
  const last = slides.keys.at(-1);
  const slid = last === undefined ? null : slide(shown, last.direction);
  const board = predicted(slides);
  return slid !== null && slid.board.every((exponent, cell) => exponent === board[cell]) ? slid.motions : [];
}
