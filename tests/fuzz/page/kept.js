/** Inputs that are kept: seeds, and what found a fault once. One file a target; a line is a JSON string, and words begin with #. */

import { existsSync, readFileSync } from "node:fs";

/** @param {"seeds" | "faults"} folder @param {string} name of a target @returns {string[]} none where it has no file */
export function kept(folder, name) {
  const file = new URL(`../${folder}/page/${name}.txt`, import.meta.url);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => JSON.parse(line));
}
