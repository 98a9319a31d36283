/**
 * SHA-256 (FIPS 180-4), synchronous: crypto.subtle is missing on plain-HTTP addresses and is never synchronous.
 */

/** @param {number} index @param {number} power @returns {number} the first 32 bits of the fraction of a prime's root */
function fractionBits(index, power) {
  const root = prime(index) ** power;
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

/** @param {number} index @returns {number} the prime number at that place, 2 at 0 */
function prime(index) {
  let candidate = 1;
  for (let found = -1; found < index; ) {
    candidate += 1;
    let divisor = 2;
    while (candidate % divisor !== 0) divisor += 1;
    if (divisor === candidate) found += 1;
  }
  return candidate;
}

const INITIAL = Uint32Array.from({ length: 8 }, (_, index) => fractionBits(index, 1 / 2));
const ROUND = Uint32Array.from({ length: 64 }, (_, index) => fractionBits(index, 1 / 3));
const schedule = new Uint32Array(64);

/** @param {number} word @param {number} by @returns {number} */
const rotated = (word, by) => (word >>> by) | (word << (32 - by));

/**
 * Mixes one block of 64 bytes into a state of eight words, in place.
 * @param {Uint32Array} state
 * @param {Uint8Array} bytes
 * @param {number} offset where the block starts
 */
export function compress(state, bytes, offset) {
  expand(bytes, offset);
  let [a, b, c, d, e, f, g, h] = /** @type {number[]} */ (/** @type {unknown} */ (state));
  for (let round = 0; round < 64; round += 1) {
    const s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + s1 + choice + ROUND[round] + schedule[round]) | 0;
    const s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + s0 + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] += word));
}

/** @param {Uint8Array} bytes @param {number} offset */
function expand(bytes, offset) {
  for (let index = 0; index < 16; index += 1) {
    const at = offset + index * 4;
    schedule[index] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let index = 16; index < 64; index += 1) {
    const near = schedule[index - 2];
    const far = schedule[index - 15];
    const s0 = rotated(far, 7) ^ rotated(far, 18) ^ (far >>> 3);
    const s1 = rotated(near, 17) ^ rotated(near, 19) ^ (near >>> 10);
    schedule[index] = schedule[index - 16] + s0 + schedule[index - 7] + s1;
  }
}

/** @returns {Uint32Array} the state before any block */
export const initialState = () => INITIAL.slice();

/**
 * Ends a hash: mixes in what is left, the padding and the length.
 * @param {Uint32Array} state after `before` bytes, a multiple of 64; changed in place
 * @param {Uint8Array} rest
 * @param {number} before
 * @returns {Uint8Array} 32 bytes
 */
export function finish(state, rest, before) {
  const padded = new Uint8Array(Math.ceil((rest.length + 9) / 64) * 64);
  padded.set(rest);
  padded[rest.length] = 0x80;
  const view = new DataView(padded.buffer);
  const length = before + rest.length;
  view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(padded.length - 4, (length << 3) >>> 0);
  for (let offset = 0; offset < padded.length; offset += 64) compress(state, padded, offset);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

/**
 * The SHA-256 of some bytes.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array} 32 bytes
 */
export const sha256 = (bytes) => finish(initialState(), bytes, 0);
