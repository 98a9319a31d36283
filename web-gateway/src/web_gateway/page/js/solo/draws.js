import { DRAW_BYTES } from "../engine/draws.js";

/**
 * Sixteen bytes of the browser's cryptographic generator.
 * @returns {Uint8Array}
 */
export const freshBytes = () => crypto.getRandomValues(new Uint8Array(DRAW_BYTES));
