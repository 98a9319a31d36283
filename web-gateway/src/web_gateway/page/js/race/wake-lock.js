/** Keeps the screen awake while that is wanted; where the browser cannot, or will not now, nothing happens. */
export class WakeLock {
  #wanted = false;
  /** @type {WakeLockSentinel | null} */
  #held = null;
  #asking = false;

  constructor() {
    // The browser lets go when the page is hidden, and says nothing when it is there again.
    document.addEventListener("visibilitychange", () => this.#ask());
  }

  /** @param {boolean} wanted */
  want(wanted) {
    if (this.#wanted === wanted) return;
    this.#wanted = wanted;
    if (wanted) this.#ask();
    else this.#held?.release().catch(() => {});
  }

  async #ask() {
    const idle = !this.#asking && (this.#held === null || this.#held.released);
    if (!this.#wanted || !idle || !("wakeLock" in navigator) || document.visibilityState !== "visible") return;
    this.#asking = true;
    try {
      this.#held = await navigator.wakeLock.request("screen");
      if (!this.#wanted) await this.#held.release();
    } catch {
      // Low on power, perhaps: the next return to the page asks again.
    }
    this.#asking = false;
  }
}
