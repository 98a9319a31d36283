import assert from "node:assert/strict";
import { test } from "node:test";
import { namedIn } from "../../web-gateway/src/web_gateway/page/js/race/address.js";

test("a table's page names it, and a replay's its race, too", () => {
  assert.deepEqual(namedIn("/t/K7QM2XWP"), { table: "K7QM2XWP", race: "" });
  assert.deepEqual(namedIn("/t/k7qm-2xwp"), { table: "k7qm-2xwp", race: "" });
  assert.deepEqual(namedIn("/t/K7QM2XWP/replay/12"), { table: "K7QM2XWP", race: "12" });
});

test("what stood behind the link in a sentence is no part of it", () => {
  for (const ending of [".", ",", ")", ").", "%E2%80%9D", "%3E", "/", "_"]) {
    assert.equal(namedIn(`/t/K7QM2XWP${ending}`).table, "K7QM2XWP");
    assert.equal(namedIn(`/t/K7QM2XWP/replay/3${ending}`).race, "3");
  }
});
