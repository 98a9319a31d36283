import { Announcer, slideWords } from "../announcer.js";
import { el, say } from "../dom.js";
import { feel } from "../feel.js";
import { momentsBetween } from "./moments.js";
import { pressedSlide, toldSlide } from "./own-slide.js";
import { spoken } from "./spoken.js";
import { verdictWords } from "./verdict.js";

/** @typedef {import("./moments.js").Instant} Instant */
/** @typedef {import("./moments.js").Moment} Moment */
/** @typedef {import("./view.js").View} View */

/** From here on each second left is heard. */
const TICKING_S = 3;

/** What the table page says, sounds and shakes besides what it shows. */
export class RaceVoice {
  #moments = new Announcer(writer());
  /** Slides are many: none of them keeps the rest from being said. */
  #slides = new Announcer(writer());
  /** @type {Instant | null} */
  #before = null;
  /** Whether the end was told, which no slide is to be told over. */
  #isOver = false;

  /** @param {Instant} instant */
  follow(instant) {
    const before = this.#before;
    this.#before = instant;
    if (before === null) return;
    const moments = momentsBetween(before, instant);
    if (moments.some(({ kind }) => kind === "count" || kind === "go")) this.#isOver = false;
    if (moments.some(({ kind }) => kind === "over")) {
      this.#isOver = true;
      this.#slides.hush();
    }
    this.#tellSlide(before.view, instant.view);
    for (const moment of moments) sound(moment, instant.view);
    const words = moments.map((moment) => spoken(moment, instant.view)).filter((one) => one !== "");
    if (words.length > 0) this.#moments.say(words.join(" "));
  }

  /** @param {View} before @param {View} after */
  #tellSlide(before, after) {
    const pressed = pressedSlide(before, after);
    if (pressed !== null) feel.slid(pressed);
    const told = toldSlide(before, after);
    if (told !== null && !this.#isOver) this.#slides.say(slideWords(told));
  }
}

/** @returns {(words: string) => void} puts words where a screen reader finds them */
function writer() {
  const live = document.body.appendChild(el("p", { class: "unseen", role: "status" }));
  return (words) => say(live, words);
}

/** @param {Moment} moment @param {View} view */
function sound(moment, view) {
  switch (moment.kind) {
    case "count": return feel.counted(moment.seconds);
    case "go": return feel.counted(0);
    case "left": return moment.seconds <= TICKING_S ? feel.counted(moment.seconds) : undefined;
    case "sat":
    case "offer": return feel.friendArrived();
    case "stuck": return feel.stuck();
    case "over": return soundVerdict(verdictWords(view).mood);
    case "biggest": return undefined;
  }
}

/** @param {import("./verdict.js").Mood} mood */
function soundVerdict(mood) {
  if (mood === "won") feel.raceWon();
  else if (mood === "lost") feel.raceLost();
  else feel.friendArrived();
}
