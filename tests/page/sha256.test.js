import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { fromHex, toHex } from "../../web-gateway/src/web_gateway/page/js/engine/bytes.js";
import { hmacSha256 } from "../../web-gateway/src/web_gateway/page/js/engine/hmac.js";
import { sha256 } from "../../web-gateway/src/web_gateway/page/js/engine/sha256.js";

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** Messages and digests of FIPS 180-2, appendix B, and of the empty message. */
const FIPS = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"],
  ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
];

/** Keys, messages and codes of RFC 4231, cases 1, 2, 3, 4, 6 and 7 (5 is about truncation). */
const RFC_4231 = [
  ["0b".repeat(20), toHex(bytes("Hi There")), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
  [toHex(bytes("Jefe")), toHex(bytes("what do ya want for nothing?")), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
  ["aa".repeat(20), "dd".repeat(50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
  ["0102030405060708090a0b0c0d0e0f10111213141516171819", "cd".repeat(50), "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"],
  ["aa".repeat(131), toHex(bytes("Test Using Larger Than Block-Size Key - Hash Key First")), "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"],
  [
    "aa".repeat(131),
    toHex(bytes("This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.")),
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
  ],
];

test("SHA-256 gives the digests of its standard", () => {
  for (const [message, digest] of FIPS) assert.equal(toHex(sha256(bytes(message))), digest);
});

test("SHA-256 pads messages of every length around a block as node does", () => {
  for (let length = 0; length <= 130; length += 1) {
    const message = Uint8Array.from({ length }, (_, index) => (index * 7) % 256);
    assert.equal(toHex(sha256(message)), createHash("sha256").update(message).digest("hex"), `${length} bytes`);
  }
});

test("HMAC-SHA256 gives the codes of RFC 4231", () => {
  for (const [key, message, code] of RFC_4231) assert.equal(toHex(hmacSha256(fromHex(key))(fromHex(message))), code);
});

test("one key's HMAC can be used again and again", () => {
  const key = new Uint8Array(32).fill(9);
  const mac = hmacSha256(key);
  for (const text of ["a", "b", "a"]) assert.equal(toHex(mac(bytes(text))), createHmac("sha256", key).update(text).digest("hex"));
});

test("hex that is not hex is refused", () => {
  assert.throws(() => fromHex("0g"), RangeError);
  assert.throws(() => fromHex("abc"), RangeError);
});
