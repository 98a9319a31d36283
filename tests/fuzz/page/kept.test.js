import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { kept } from "./kept.js";
import { TARGETS } from "./targets.js";

for (const [name, tryOne] of Object.entries(TARGETS)) {
  test(`what found a fault in ${name} finds it no more, and its seeds find none`, () => {
    assert.notEqual(kept("seeds", name).length, 0);
    for (const input of [...kept("faults", name), ...kept("seeds", name)]) tryOne(input);
  });
}

test("every input that is kept is of a target", () => {
  const files = ["seeds", "faults"].flatMap((folder) => readdirSync(new URL(`../${folder}/page`, import.meta.url)));
  for (const file of files) assert.ok(file.replace(".txt", "") in TARGETS, file);
});
