/** @typedef {import("./engine/slide.js").Direction} Direction */
/** @typedef {{x: number, y: number}} Point */
/** @typedef {Pick<KeyboardEvent, "code" | "key" | "ctrlKey" | "altKey" | "metaKey" | "repeat"> & {getModifierState?: (key: string) => boolean}} KeyPress */
/** What of a pointer counts: which one, of what kind, and whether it is the first of its kind to come down. @typedef {Point & {id: number, kind: string, first: boolean}} Press */

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
  return press.repeat || !isSlideKey(press) ? null : wayOf(press);
}

/** @param {KeyPress} press @returns {boolean} keys with Ctrl, Alt (also the one beside the space bar's right) or Meta are the browser's */
const isSlideKey = (press) => wayOf(press) !== null && !press.ctrlKey && !press.altKey && !press.metaKey && press.getModifierState?.("AltGraph") !== true;

/** @param {KeyPress} press @returns {Direction | null} arrows also by their name, for those on a number pad */
const wayOf = ({ code, key }) => KEYS.get(code) ?? KEYS.get(key) ?? null;

/**
 * Whether a key takes a slide back: the one that writes U, or in another script the one at its place.
 * @param {KeyPress} press
 * @returns {boolean}
 */
export function isUndoKey(press) {
  const { key, code, ctrlKey, altKey, metaKey } = press;
  return !ctrlKey && !altKey && !metaKey && (/^[a-z]$/i.test(key) ? key.toLowerCase() === "u" : code === "KeyU");
}

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
    if (event.defaultPrevented || !isSlideKey(event) || isTyping(event.target)) return;
    event.preventDefault();
    const direction = directionOfKey(event);
    if (direction !== null) slid(direction);
  });
}

/** Follows the fingers, the pen or the mouse: one that moves far enough across the board is a slide, once; two are none. */
export class Swipe {
  /** Those that are down, on the board or beside it. @type {Map<number, Press>} */
  #down = new Map();
  #spoilt = false;

  /** @param {Press} press @param {boolean} onBoard */
  pressed(press, onBoard) {
    if (press.first) this.#forget(press.kind);
    if (this.#down.size === 0) this.#spoilt = false;
    this.#spoilt ||= this.#down.size > 0 || !onBoard;
    this.#down.set(press.id, press);
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
  }

  /** The first of a kind is down: whatever was before it has gone without a word. @param {string} kind */
  #forget(kind) {
    for (const [id, press] of this.#down) if (press.kind === kind) this.#down.delete(id);
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
 * Calls back for every swipe and drag on an element, which must have `touch-action: none`. It may end anywhere; a finger
 * beside the element makes two of one on it.
 * @param {HTMLElement} element
 * @param {(direction: Direction) => void} slid
 * @param {() => void} [tapped]
 */
export function listenToSwipes(element, slid, tapped = () => {}) {
  const swipe = new Swipe();
  /** @param {Direction | "tap" | null} made */
  const tell = (made) => (made === "tap" ? tapped() : made !== null && slid(made));
  addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !element.isConnected) return;
    const onBoard = event.target instanceof Node && element.contains(event.target) && !isControl(event.target);
    if (onBoard) element.setPointerCapture(event.pointerId);
    swipe.pressed(pressOf(event), onBoard);
  });
  addEventListener("pointermove", (event) => {
    if (event.buttons === 0) swipe.cancelled(event.pointerId);
    else tell(swipe.moved(event.pointerId, event));
  });
  addEventListener("pointerup", (event) => tell(swipe.lifted(event.pointerId, event)));
  addEventListener("pointercancel", (event) => swipe.cancelled(event.pointerId));
  keepStill(element);
}

/** Nothing but slides: no swipe back from the screen's edge, no menu or marking by a long press. @param {HTMLElement} element */
function keepStill(element) {
  element.addEventListener("touchstart", (event) => !isControl(event.target) && event.preventDefault(), { passive: false });
  element.addEventListener("contextmenu", (event) => event.pointerType !== "mouse" && event.preventDefault());
  element.addEventListener("dragstart", (event) => event.preventDefault());
}

/** @param {EventTarget | null} target @returns {boolean} */
const isControl = (target) => target instanceof Element && target.closest("button, a, input, select, label") !== null;

/** @param {PointerEvent} event @returns {Press} */
const pressOf = ({ pointerId, pointerType, isPrimary, x, y }) => ({ id: pointerId, kind: pointerType, first: isPrimary, x, y });
