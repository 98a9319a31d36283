// The service worker: it keeps every file of one build, so that the page opens without a network, and never stands
// between a browser and a newer build: pages are asked for over the network first.

/** @typedef {{build: string, files: string[], shells: [string, string][], offline: string}} Release */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** @type {Release} what the gateway writes in here: what to keep, and which page answers which address */
const RELEASE = { build: "", files: [], shells: [], offline: "" };

const PREFIX = "tilerace-";
const HERE = PREFIX + RELEASE.build;
/** How long a page may take over the network where there is a kept one. */
const PATIENCE_MS = 3000;
/** What a proxy says when nobody is behind it. */
const NOBODY = [502, 503, 504];

worker.addEventListener("install", (event) => event.waitUntil(keepAll()));
worker.addEventListener("activate", (event) => event.waitUntil(takeOver()));
worker.addEventListener("fetch", (event) => {
  const answer = answerTo(event.request);
  if (answer !== null) event.respondWith(answer);
});

/** Keeps all files or, where one cannot be had or is of another build, none: then the worker before goes on. */
async function keepAll() {
  const answers = await Promise.all(RELEASE.files.map(fetchOurs));
  // Anew, also where it comes back after another: caches are in the order of their making.
  await caches.delete(HERE);
  const cache = await caches.open(HERE);
  await Promise.all(RELEASE.files.map((address, each) => cache.put(address, answers[each])));
  await cache.put(sealOf(HERE), new Response());
  await worker.skipWaiting();
}

/** @param {string} address */
async function fetchOurs(address) {
  const answer = await fetch(address);
  if (!answer.ok || answer.headers.get("tilerace-build") !== RELEASE.build) throw new Error(`${address} is of another build`);
  // Read to its end: what breaks off would be noticed too late otherwise.
  await answer.clone().arrayBuffer();
  return answer;
}

/** Drops all but this build and the one before, whose pages may still be open. */
async function takeOver() {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== HERE);
  const whole = await Promise.all(names.map((name) => caches.match(sealOf(name), { cacheName: name })));
  const before = names.findLast((_, each) => whole[each] !== undefined);
  await Promise.all(names.filter((name) => name !== before).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

/** What is kept last says that a build is whole. @param {string} name */
const sealOf = (name) => `/whole/${name}`;

/** @param {Request} request @returns {Promise<Response> | null} null: none of the worker's business */
function answerTo(request) {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin || pathname.startsWith("/api/")) return null;
  if (request.mode === "navigate") return page(request, pathname);
  return pathname.startsWith("/at/") || pathname === "/boot.js" ? file(request) : null;
}

/** An address with a build in it never changes what it holds. @param {Request} request */
async function file(request) {
  return (await caches.match(request)) ?? fetch(request);
}

/** @param {Request} request @param {string} path */
async function page(request, path) {
  const shell = RELEASE.shells.find(([pattern]) => new RegExp(pattern).test(path))?.[1];
  const network = fetch(request);
  try {
    const answer = await (shell === undefined ? network : Promise.race([network, impatience()]));
    if (!NOBODY.includes(answer.status)) return answer;
  } catch {
    // There is no network, or hardly one.
  }
  return (await caches.match(shell ?? RELEASE.offline, { cacheName: HERE })) ?? network;
}

/** @returns {Promise<never>} */
const impatience = () => new Promise((_, reject) => setTimeout(reject, PATIENCE_MS));
