import { titleOf } from "./title.js";
import { isRunning } from "./view.js";
import { RaceVoice } from "./voice.js";
import { WakeLock } from "./wake-lock.js";

/** @typedef {import("./moments.js").Instant} Instant */

/** What goes beside the screen: the tab's title, what is said and sounded, and a screen that stays awake. */
export class Asides {
  #voice = new RaceVoice();
  #wakeLock = new WakeLock();

  /** @param {Instant} instant */
  follow(instant) {
    const { view, at } = instant;
    const title = titleOf(view, at);
    if (document.title !== title) document.title = title;
    this.#wakeLock.want(isRunning(view, at));
    this.#voice.follow(instant);
  }
}
