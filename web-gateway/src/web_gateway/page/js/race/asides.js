import { el, say } from "../dom.js";
import { momentsBetween } from "./moments.js";
import { spoken } from "./spoken.js";
import { titleOf } from "./title.js";
import { screenOf } from "./view.js";
import { WakeLock } from "./wake-lock.js";

/** @typedef {import("./moments.js").Instant} Instant */

/** What goes beside the screen: the tab's title, words for those who do not see, and a screen that stays awake. */
export class Asides {
  #live = el("p", { class: "unseen", role: "status" });
  #wakeLock = new WakeLock();
  /** @type {Instant | null} */
  #before = null;

  constructor() {
    document.body.append(this.#live);
  }

  /** @param {Instant} instant */
  follow(instant) {
    const { view, at } = instant;
    const title = titleOf(view, at);
    if (document.title !== title) document.title = title;
    this.#wakeLock.want(["countdown", "racing"].includes(screenOf(view, at)));
    if (this.#before !== null) this.#tell(this.#before, instant);
    this.#before = instant;
  }

  /** @param {Instant} before @param {Instant} after */
  #tell(before, after) {
    const words = momentsBetween(before, after).map((moment) => spoken(moment, after.view)).filter((one) => one !== "");
    if (words.length > 0) say(this.#live, words.join(" "));
  }
}
