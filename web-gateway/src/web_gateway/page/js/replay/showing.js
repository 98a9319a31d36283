import { LEAP_MS } from "./keys.js";
import { atBegin, atEnd, atStart, moved, paced, stepped, ticked, toggled } from "./player.js";

/** @typedef {import("./keys.js").Action} Action */
/** @typedef {import("./player.js").Player} Player */
/** @typedef {import("./timeline.js").Timeline} Timeline */
/** Something to draw: `still` where boards are to be as they are, without motion. @typedef {{readonly player: Player, readonly still: boolean}} Picture */

/** @type {Readonly<Record<Action | "skips", (timeline: Timeline, player: Player) => Player>>} */
const ACTS = {
  toggle: toggled,
  on: (timeline, player) => stepped(timeline, player, 1),
  back: (timeline, player) => stepped(timeline, player, -1),
  later: (timeline, player) => moved(timeline, player, player.ms + LEAP_MS),
  earlier: (timeline, player) => moved(timeline, player, player.ms - LEAP_MS),
  start: atStart,
  end: atEnd,
  faster: (_, player) => paced(player, 1),
  slower: (_, player) => paced(player, -1),
  skips: (_, player) => ({ ...player, skips: !player.skips }),
};
/** After these boards are as they are; other acts go slide by slide. */
const STILL = ["later", "earlier", "start", "end"];

/** Shows a race: does what is asked, lets time go by while it plays, and has every picture drawn. */
export class Showing {
  #timeline;
  /** @type {Player} */
  #player;
  #draw;
  #held = false;
  /** Which run of pictures goes on: paused and played within one of them, an older one is to end. */
  #run = 0;

  /** @param {Timeline} timeline @param {(picture: Picture) => void} draw */
  constructor(timeline, draw) {
    this.#timeline = timeline;
    this.#player = atBegin(timeline);
    this.#draw = draw;
  }

  /** @returns {Player} */
  get player() {
    return this.#player;
  }

  /** @param {keyof typeof ACTS} act */
  act(act) {
    this.#become(ACTS[act](this.#timeline, this.#player), STILL.includes(act));
  }

  pause() {
    if (this.#player.playing) this.act("toggle");
  }

  /** @param {number} ms */
  seek(ms) {
    this.#become(moved(this.#timeline, this.#player, ms), true);
  }

  /** @param {number} speed */
  pace(speed) {
    this.#become({ ...this.#player, speed }, false);
  }

  /** While the scrubber is held, no time goes by. @param {boolean} held */
  hold(held) {
    this.#held = held;
  }

  /** @param {Player} player @param {boolean} still */
  #become(player, still) {
    const starts = player.playing && !this.#player.playing;
    this.#player = player;
    this.#draw({ player, still });
    if (starts) this.#go((this.#run += 1), null);
  }

  /** @param {number} run @param {number | null} before when the picture before was drawn */
  #go(run, before) {
    requestAnimationFrame((now) => {
      if (!this.#player.playing || run !== this.#run) return;
      if (!this.#held && before !== null) this.#become(ticked(this.#timeline, this.#player, now - before), false);
      this.#go(run, now);
    });
  }
}
