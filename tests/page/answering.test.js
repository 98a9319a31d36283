import assert from "node:assert/strict";
import { test } from "node:test";
import { answersHttp } from "../../web-gateway/src/web_gateway/page/js/race/answering.js";

/** @param {string} body @param {number} [status] */
const saying = (body, status = 200) => async () => new Response(body, { status });

test("a server that says it is well answers", async () => {
  assert.equal(await answersHttp(saying("ok\n")), true);
});

test("neither a failure, nor somebody else's page, nor silence is an answer", async () => {
  assert.equal(await answersHttp(saying("ok\n", 502)), false);
  assert.equal(await answersHttp(saying("<p>Please sign in</p>")), false);
  assert.equal(await answersHttp(async () => Promise.reject(new TypeError("no network"))), false);
});
