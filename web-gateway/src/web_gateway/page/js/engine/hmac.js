import { compress, finish, initialState, sha256 } from "./sha256.js";

const BLOCK = 64;

/**
 * HMAC-SHA256 (RFC 2104) with one key; the key's two blocks are hashed once, so that many messages are cheap.
 * @param {Uint8Array} key
 * @returns {(message: Uint8Array) => Uint8Array} from a message to 32 bytes
 */
export function hmacSha256(key) {
  const short = key.length > BLOCK ? sha256(key) : key;
  const inner = keyed(short, 0x36);
  const outer = keyed(short, 0x5c);
  return (message) => finish(outer.slice(), finish(inner.slice(), message, BLOCK), BLOCK);
}

/** @param {Uint8Array} key @param {number} pad @returns {Uint32Array} the state after the padded key */
function keyed(key, pad) {
  const block = new Uint8Array(BLOCK).fill(pad);
  key.forEach((byte, index) => (block[index] ^= byte));
  const state = initialState();
  compress(state, block, 0);
  return state;
}
