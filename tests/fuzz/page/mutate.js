/** Changes of inputs by chance, the same for the same seed: of texts letter by letter, of JSON part by part. */

const WORTH_TRYING = [null, true, false, 0, 1, -1, 2, 4, 5, 11, 17, 18, 64, 1.5, -0, 2 ** 31, 2 ** 53, 1e308, "", "1", "classic", "one", "won", "stuck", "left", "constructor", "__proto__", "\u202e", [], {}, [null], "0".repeat(64)];
const LETTERS = '{}[]":,0123456789-+.eEtruefalsn \\u\n/abcdefT';

/** Numbers by chance (xorshift32). @param {number} seed @returns {(below: number) => number} */
export function chance(seed) {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** @param {string} text @param {string} other @param {(below: number) => number} next @returns {string} */
export function mutated(text, other, next) {
  const part = next(4) > 0 ? mutatedJson(text, other, next) : null;
  return part ?? mutatedText(text, other, next);
}

/** @param {string} text @param {string} other @param {(below: number) => number} next @returns {string} */
function mutatedText(text, other, next) {
  let made = text;
  for (let times = 1 + next(4); times > 0; times -= 1) {
    const at = next(made.length + 1);
    const letter = next(3) > 0 ? LETTERS[next(LETTERS.length)] : String.fromCharCode(next(256));
    switch (next(4)) {
      case 0: made = made.slice(0, at) + letter + made.slice(at + 1); break;
      case 1: made = made.slice(0, at) + letter + made.slice(at); break;
      case 2: made = made.slice(0, at) + made.slice(at + 1 + next(8)); break;
      default: made = made.slice(0, at) + other.slice(next(other.length + 1)); break;
    }
  }
  return made;
}

/** @param {string} text @param {string} other @param {(below: number) => number} next @returns {string | null} null where it is no JSON */
function mutatedJson(text, other, next) {
  let root;
  try {
    root = { root: JSON.parse(text) };
  } catch {
    return null;
  }
  for (let times = 1 + next(3); times > 0; times -= 1) changePart(root, other, next);
  return JSON.stringify(root.root) ?? null;
}

/** @param {any} root @param {string} other @param {(below: number) => number} next */
function changePart(root, other, next) {
  const places = placesIn(root);
  if (places.length === 0) return;
  const [parent, key] = places[next(places.length)];
  switch (next(6)) {
    case 0: if (Array.isArray(parent)) parent.splice(Number(key), 1); else delete parent[key]; break;
    case 1: if (Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(parent[key])); break;
    case 2: if (typeof parent[key] === "number") parent[key] += [1, -1, 2, 16, -0.5, 1e6][next(6)]; break;
    case 3: parent[key] = partOf(other, next); break;
    default: parent[key] = structuredClone(WORTH_TRYING[next(WORTH_TRYING.length)]);
  }
}

/** @param {string} text @param {(below: number) => number} next @returns {any} */
function partOf(text, next) {
  try {
    const places = placesIn({ root: JSON.parse(text) });
    const [parent, key] = places[next(places.length)];
    return structuredClone(parent[key]);
  } catch {
    return text;
  }
}

/** @param {any} parent @returns {[any, string][]} */
function placesIn(parent) {
  const found = /** @type {[any, string][]} */ ([]);
  const waiting = [parent];
  while (waiting.length > 0) {
    const one = waiting.pop();
    for (const key of Object.keys(one)) {
      found.push([one, key]);
      if (typeof one[key] === "object" && one[key] !== null) waiting.push(one[key]);
    }
  }
  return found;
}
