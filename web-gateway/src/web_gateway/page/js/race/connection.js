import { parseFrame } from "./frames.js";

/** @typedef {import("./frames.js").ClientFrame} ClientFrame */
/** @typedef {import("./frames.js").ServerFrame} ServerFrame */
/** @typedef {"lost" | "later" | "moved" | "gone" | "refused"} Ending */
/**
 * @typedef {object} Listener
 * @property {() => void} opened
 * @property {(frame: ServerFrame) => void} received
 * @property {(why: Ending, wait: number) => void} closed `wait` is the time until it comes back by itself, in milliseconds
 * @property {() => void} pinged
 * @property {(online: boolean) => void} network
 */

/** @type {Readonly<Record<number, Ending>>} closing codes after which the page does not come back by itself */
const FINAL = { 4001: "moved", 4404: "gone", 1008: "refused", 1009: "refused" };
const FIRST_RETRY_MS = 800;
const LONGEST_RETRY_MS = 4000;
/** The first pings of a connection come quickly, so that the clock is good before the boards come alive. */
const FIRST_PINGS_MS = [0, 150, 400, 900, 1600];
const PING_MS = 3000;
/** A socket that says nothing for so long, though it is pinged, is dead. */
const SILENCE_MS = 6000;
/** A page that slept itself finds timers and messages at once: what has come is read first. */
const READ_MS = 100;
/** After waking up an answer must come sooner: the machine may have slept. */
const WAKE_MS = 2500;
const CONNECT_TIMEOUT_MS = 8000;
/** The closing code of a server that was asked too often, and for how long it is then left alone at least. */
const LATER = 1013;
const LATER_MS = 15_000;
/** When a network comes back, all of a house come back; not all in the same moment. */
const SPREAD_MS = 500;

/**
 * How long to wait before coming back: doubling, and spread widely from the first time on. A gateway that dies without a
 * word sends all of its pages away at the same moment, and those who race must not feel their coming back.
 * @param {number} failures how many times in a row it has failed
 * @param {number} chance 0 to 1
 * @returns {number} milliseconds
 */
export function retryAfter(failures, chance) {
  const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
  return longest / 8 + (longest - longest / 8) * chance;
}

/** A table's socket, which comes back by itself until the server says that it shall not. */
export class Connection {
  /** @type {WebSocket | null} */
  #socket = null;
  #failures = 0;
  /** @type {number | null} since when a ping has been under way and nothing has come */
  #silentSince = null;
  /** @type {number | null} what the server asked for in `bye` */
  #retryMs = null;
  /** @type {Set<number>} */
  #timers = new Set();
  #url;
  #listener;

  /** @param {string} url @param {Listener} listener */
  constructor(url, listener) {
    this.#url = url;
    this.#listener = listener;
    addEventListener("online", () => this.#networked(true));
    addEventListener("offline", () => this.#networked(false));
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#hurry());
    document.addEventListener("resume", () => this.#hurry());
  }

  /** Connects, anew if it is connected. */
  connect() {
    this.#abandon();
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#silentSince = null;
    this.#later(CONNECT_TIMEOUT_MS, () => socket.readyState === WebSocket.CONNECTING && this.#lost());
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#received(String(data));
    socket.onclose = ({ code }) => this.#closed(code);
  }

  /** @param {readonly ClientFrame[]} frames those for a closed socket are dropped: the reducer keeps what must not be lost */
  send(frames) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    for (const frame of frames) this.#socket.send(JSON.stringify(frame));
  }

  /** Comes back now, where it is away and would come back later. */
  retry() {
    if (this.#isAway()) this.connect();
  }

  /** Gives up a socket that does not answer, and comes back. */
  restart() {
    if (this.#socket !== null) this.#lost();
  }

  #opened() {
    this.#retryMs = null;
    this.#listener.opened();
    for (const delay of FIRST_PINGS_MS) this.#later(delay, () => this.#ping());
    this.#later(PING_MS, () => this.#watch());
  }

  #ping() {
    if (this.#silentSince === null) this.#later(SILENCE_MS, () => this.#later(READ_MS, () => this.#isSilentFor(SILENCE_MS) && this.#lost()));
    this.#silentSince ??= performance.now();
    this.send([{ type: "ping", t: performance.now() }]);
    this.#listener.pinged();
  }

  #watch() {
    this.#ping();
    this.#later(PING_MS, () => this.#watch());
  }

  /** @param {number} ms @returns {boolean} timers of a page in the background come late, so the time since a ping counts */
  #isSilentFor(ms) {
    return this.#silentSince !== null && performance.now() - this.#silentSince >= ms;
  }

  /** @param {string} text */
  #received(text) {
    const frame = parseFrame(text);
    if (frame === null) return;
    this.#silentSince = null;
    if (frame.type === "table") this.#failures = 0;
    if (frame.type === "bye") this.#retryMs = frame.retry_ms;
    this.#listener.received(frame);
  }

  /** @param {number} code */
  #closed(code) {
    const why = FINAL[code];
    if (code === LATER) return this.#sentAway();
    if (why === undefined) return this.#lost();
    this.#abandon();
    this.#listener.closed(why, 0);
  }

  #sentAway() {
    this.#retryMs = LATER_MS * (1 + Math.random());
    this.#lost("later");
  }

  /** @param {"lost" | "later"} [why] */
  #lost(why = "lost") {
    this.#abandon();
    const wait = this.#retryMs ?? retryAfter(this.#failures, Math.random());
    this.#failures += 1;
    this.#retryMs = null;
    this.#listener.closed(why, wait);
    this.#later(wait, () => this.connect());
  }

  /** The person is back: no need to wait, and a sleeping machine's socket may be dead. */
  #hurry() {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#checkAlive();
    else this.retry();
  }

  /** @param {boolean} online a server on this machine is reached without any network, so that nothing is given up at once */
  #networked(online) {
    this.#listener.network(online);
    if (online && this.#isAway()) this.#later(Math.random() * SPREAD_MS, () => this.retry());
    else if (this.#socket?.readyState === WebSocket.OPEN) this.#checkAlive();
  }

  /** @returns {boolean} whether it waits to come back */
  #isAway() {
    return this.#timers.size > 0 && this.#socket === null;
  }

  #checkAlive() {
    this.#ping();
    this.#later(WAKE_MS, () => this.#isSilentFor(WAKE_MS - 100) && this.#lost());
  }

  /** @param {number} delay @param {() => void} task */
  #later(delay, task) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      task();
    }, delay);
    this.#timers.add(timer);
  }

  #abandon() {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    if (this.#socket === null) return;
    this.#socket.onopen = this.#socket.onmessage = this.#socket.onclose = null;
    this.#socket.close();
    this.#socket = null;
  }
}
