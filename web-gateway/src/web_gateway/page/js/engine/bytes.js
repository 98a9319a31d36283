/**
 * Bytes as lower-case hex.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Hex, two digits a byte, as bytes.
 * @param {string} hex
 * @returns {Uint8Array}
 * @throws {RangeError} when it is not hex
 */
export function fromHex(hex) {
  if (!/^([0-9a-f]{2})*$/i.test(hex)) throw new RangeError("not hex");
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16));
}
