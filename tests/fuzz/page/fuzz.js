/**
 * Fuzzes the page's targets, guided by V8's own coverage: inputs are made in batches, and one that reaches what none has
 * reached is kept and changed further. `node tests/fuzz/page/fuzz.js --seconds 60 [--target name] [--seed n]`
 */

import { Session } from "node:inspector";
import { parseArgs } from "node:util";
import { kept } from "./kept.js";
import { chance, mutated } from "./mutate.js";
import { TARGETS } from "./targets.js";

const { values: asked } = parseArgs({ options: {
  target: { type: "string", multiple: true }, seconds: { type: "string", default: "60" }, seed: { type: "string", default: "1" }, inputs: { type: "string", default: "0" },
} });
const BATCH = 64;
/** How long one input may take, in microseconds of the processor. */
const HANG_US = 5_000_000;
const MOST_GROWN = 64 * 2 ** 20;
const OURS = "/web_gateway/page/";

const session = new Session();
session.connect();
/** @param {string} method @param {object} [parameters] @returns {any} */
function post(method, parameters = {}) {
  let answer;
  session.post(method, parameters, (error, result) => {
    if (error !== null) throw error;
    answer = result;
  });
  return answer;
}
post("Profiler.enable");
post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

/** @type {Set<string>} */
const reached = new Set();
/** @returns {number} how much was reached since it was asked last that never was before */
function news() {
  const before = reached.size;
  for (const { url, functions } of post("Profiler.takePreciseCoverage").result) {
    if (!url.includes(OURS)) continue;
    for (const { ranges } of functions) for (const { startOffset, endOffset, count } of ranges) if (count > 0) reached.add(`${url}:${startOffset}:${endOffset}`);
  }
  return reached.size - before;
}

/** @param {string} name @returns {boolean} whether nothing was found */
function fuzz(name) {
  const [tryOne, seconds, most, seed] = [TARGETS[name], Number(asked.seconds), Number(asked.inputs) || Infinity, Number(asked.seed)];
  const next = chance(seed);
  const seeds = [...kept("seeds", name), ...kept("faults", name)];
  const corpus = [...seeds, "", "null", "{}"];
  reached.clear();
  let [count, grown, settled] = [0, 0, 0];
  const began = performance.now();
  /** @param {string} input @returns {boolean} */
  const holds = (input) => {
    const at = process.cpuUsage();
    count += 1;
    try {
      tryOne(input);
      if (process.cpuUsage(at).user < HANG_US) return true;
      console.log(`${name} takes too long`);
    } catch (error) {
      console.log(error);
    }
    console.log(`${name} fails with this input; once it is mended, keep it in tests/fuzz/faults/page/${name}.txt:\n${JSON.stringify(input)}\nThe same way again: make fuzz TARGET=page/${name} SEED=${seed}`);
    return false;
  };
  for (const input of corpus) if (!holds(input)) return false;
  news();
  while (performance.now() - began < seconds * 1000 && count < most) {
    const batch = Array.from({ length: BATCH }, () => mutated(corpus[next(corpus.length)], corpus[next(corpus.length)], next).slice(0, 8192));
    for (const input of batch) if (!holds(input)) return false;
    if (news() > 0) corpus.push(...smallest(batch));
    if (count > 20_000 && settled === 0) settled = process.memoryUsage().rss;
  }
  if (settled > 0) {
    grown = Math.max(0, process.memoryUsage().rss - settled);
    if (grown > MOST_GROWN) return console.log(`${name} grew by ${grown} bytes`), false;
  }
  const spent = (performance.now() - began) / 1000;
  console.log(`${name.padEnd(16)} ${count.toLocaleString("en").padStart(11)} inputs ${Math.round(count / spent).toLocaleString("en").padStart(8)}/s ${String(reached.size).padStart(4)} ranges ${String(grown >> 10).padStart(6)} KiB more  corpus ${corpus.length}`);
  return true;
}

/** Of a batch that reached more, those that may have: which one it was is not told, so the shorter half is kept. @param {string[]} batch @returns {string[]} */
const smallest = (batch) => batch.toSorted((one, other) => one.length - other.length).slice(0, 8);

const names = asked.target ?? Object.keys(TARGETS);
const faults = names.filter((name) => !fuzz(name));
console.log(`${names.length} targets of the page, ${faults.length} faults, seed ${asked.seed}`);
process.exit(faults.length > 0 ? 1 : 0);
