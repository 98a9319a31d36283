import { EMPTY_BOARD } from "./board.js";
import { toHex } from "./bytes.js";
import { drawOf, place } from "./draw.js";
import { hmacSha256 } from "./hmac.js";
import { sha256 } from "./sha256.js";

export { cellOf, DRAW_BYTES, drawOf, place } from "./draw.js";

/** @typedef {import("./board.js").Board} Board */
/** @typedef {import("./draw.js").Draw} Draw */

/**
 * A seed's draws by number.
 * @param {Uint8Array} seed 32 bytes
 * @returns {(k: number) => Draw}
 */
export function drawsOf(seed) {
  const mac = hmacSha256(seed);
  const message = new Uint8Array(8);
  const view = new DataView(message.buffer);
  return (k) => {
    view.setUint32(0, Math.floor(k / 2 ** 32));
    view.setUint32(4, k % 2 ** 32);
    return drawOf(mac(message));
  };
}

/**
 * The board that draws 0 and 1 make.
 * @param {(k: number) => Draw} draws
 * @returns {Board}
 */
export const startBoard = (draws) => place(place(EMPTY_BOARD, draws(0)), draws(1));

/**
 * What everyone is shown of a seed when the race is dealt.
 * @param {Uint8Array} seed
 * @returns {string} hex
 */
export const commitmentOf = (seed) => toHex(sha256(seed));
