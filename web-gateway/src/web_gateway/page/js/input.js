/** @typedef {import("./engine/slide.js").Direction} Direction */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {{code: string, ctrlKey: boolean, altKey: boolean, metaKey: boolean, repeat: boolean}} KeyPress */

/** @type {ReadonlyMap<string, Direction>} by physical position, so that W A S D are where they are on any layout */
const KEYS = new Map([
  ["ArrowUp", "up"], ["ArrowDown", "down"], ["ArrowLeft", "left"], ["ArrowRight", "right"],
  ["KeyW", "up"], ["KeyS", "down"], ["KeyA", "left"], ["KeyD", "right"],
]);
const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=slider]";
/** A move this far is a slide at once, in CSS pixels. */
const SWIPE = 28;
/** A finger lifted this far from where it came down has made a short flick. */
const FLICK = 10;

/**
 * The slide that a key means. A key held down is one key: what repeats by itself is not pressed.
 * @param {KeyPress} press
 * @returns {Direction | null}
 */
export function directionOfKey(press) {
  return press.repeat || !isSlideKey(press) ? null : (KEYS.get(press.code) ?? null);
}

/** @param {KeyPress} press @returns {boolean} keys with Ctrl, Alt or Meta are the browser's */
const isSlideKey = ({ code, ctrlKey, altKey, metaKey }) => KEYS.has(code) && !ctrlKey && !altKey && !metaKey;

/**
 * The slide that a way across the board means: the way it leans most.
 * @param {Point} from
 * @param {Point} to
 * @param {number} least how far it must go
 * @returns {Direction | null}
 */
export function directionOfWay(from, to, least) {
  const across = to.x - from.x;
  const down = to.y - from.y;
  if (Math.max(Math.abs(across), Math.abs(down)) < least) return null;
  if (Math.abs(across) > Math.abs(down)) return across > 0 ? "right" : "left";
  return down > 0 ? "down" : "up";
}

/**
 * Whether a key belongs to a field or an open dialog, and not to the board.
 * @param {EventTarget | null} target
 * @returns {boolean}
 */
export function isTyping(target) {
  return (target instanceof Element && target.closest(FIELDS) !== null) || document.querySelector("dialog[open]") !== null;
}

/**
 * Calls back for every slide key.
 * @param {(direction: Direction) => void} slid
 */
export function listenToKeys(slid) {
  addEventListener("keydown", (event) => {
    if (!isSlideKey(event) || isTyping(event.target)) return;
    event.preventDefault();
    const direction = directionOfKey(event);
    if (direction !== null) slid(direction);
  });
}

/** Follows the fingers, or the mouse, on the board: one that moves far enough is a slide, once; two are none. */
export class Swipe {
  /** @type {Map<number, Point>} */
  #down = new Map();
  #spoilt = false;

  /** @param {number} id @param {Point} at */
  pressed(id, at) {
    this.#down.set(id, at);
    this.#spoilt ||= this.#down.size > 1;
  }

  /** @param {number} id @param {Point} at @returns {Direction | null} */
  moved(id, at) {
    return this.#reached(id, at, SWIPE);
  }

  /** @param {number} id @param {Point} at @returns {Direction | "tap" | null} */
  lifted(id, at) {
    const alone = this.#down.has(id) && !this.#spoilt;
    const direction = this.#reached(id, at, FLICK);
    this.cancelled(id);
    return direction ?? (alone ? "tap" : null);
  }

  /** @param {number} id */
  cancelled(id) {
    this.#down.delete(id);
    if (this.#down.size === 0) this.#spoilt = false;
  }

  /** @param {number} id @param {Point} at @param {number} least @returns {Direction | null} */
  #reached(id, at, least) {
    const from = this.#down.get(id);
    const direction = from === undefined || this.#spoilt ? null : directionOfWay(from, at, least);
    if (direction !== null) this.#spoilt = true;
    return direction;
  }
}

/**
 * Calls back for every swipe and drag on an element, which must have `touch-action: none`.
 * @param {HTMLElement} element
 * @param {(direction: Direction) => void} slid
 * @param {() => void} [tapped]
 */
export function listenToSwipes(element, slid, tapped = () => {}) {
  const swipe = new Swipe();
  /** @param {Direction | "tap" | null} made */
  const tell = (made) => (made === "tap" ? tapped() : made !== null && slid(made));
  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || isControl(event.target)) return;
    element.setPointerCapture(event.pointerId);
    swipe.pressed(event.pointerId, pointOf(event));
  });
  element.addEventListener("pointermove", (event) => tell(swipe.moved(event.pointerId, pointOf(event))));
  element.addEventListener("pointerup", (event) => tell(swipe.lifted(event.pointerId, pointOf(event))));
  element.addEventListener("pointercancel", (event) => swipe.cancelled(event.pointerId));
  // Without this, a swipe from the screen's edge still navigates on some phones.
  element.addEventListener("touchstart", (event) => !isControl(event.target) && event.preventDefault(), { passive: false });
  element.addEventListener("dragstart", (event) => event.preventDefault());
}

/** @param {EventTarget | null} target @returns {boolean} */
const isControl = (target) => target instanceof Element && target.closest("button, a, input, select, label") !== null;

/** @param {PointerEvent} event @returns {Point} */
const pointOf = (event) => ({ x: event.clientX, y: event.clientY });
