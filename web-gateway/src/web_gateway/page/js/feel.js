import { exponentOf } from "./engine/board.js";
import { preferences } from "./preferences.js";
import { countTune, openAudio, slideTune, Sounds, TUNES } from "./sounds.js";
import { PATTERNS, slidePattern, vibrate } from "./vibration.js";

/** @typedef {import("./sounds.js").Tune} Tune */
/** @typedef {import("./vibration.js").Pattern} Pattern */
/** @typedef {Pick<import("./preferences.js").Preferences, "get">} Chosen */
/** @typedef {{play: (tune: Tune) => void, vibrate: (pattern: Pattern) => void}} Senses */

/**
 * What happens, to be heard and felt, as far as one has chosen that in the settings. Every call returns at once, and does
 * nothing where the browser cannot or may not.
 *
 *     feel.slid({ points: 24, biggest: 16 });
 */
export class Feel {
  #chosen;
  #senses;

  /** @param {Chosen} chosen @param {Senses} senses */
  constructor(chosen, senses) {
    this.#chosen = chosen;
    this.#senses = senses;
  }

  /** One's own slide. @param {{points: number, biggest: number}} slide what it earned, and the biggest tile its merges made */
  slid({ points, biggest }) {
    const exponent = points === 0 ? 0 : exponentOf(biggest);
    this.#give(slideTune(exponent), slidePattern(exponent));
  }

  /** A second of the countdown has come. @param {number} left whole seconds; 0 when the boards come alive */
  counted(left) {
    this.#give(countTune(left), PATTERNS.count);
  }

  /** One's own 2048, alone. */
  won() {
    this.#give(TUNES.won, PATTERNS.won);
  }

  /** No slide is left. */
  stuck() {
    this.#give(TUNES.stuck, PATTERNS.stuck);
  }

  raceWon() {
    this.#give(TUNES.raceWon, PATTERNS.raceWon);
  }

  raceLost() {
    this.#give(TUNES.raceLost, PATTERNS.raceLost);
  }

  friendArrived() {
    this.#give(TUNES.friendArrived, PATTERNS.friendArrived);
  }

  /** So that one hears or feels what one has just switched on. @param {"sounds" | "vibration"} sense */
  sample(sense) {
    if (sense === "sounds") this.#senses.play(slideTune(5));
    else this.#senses.vibrate(PATTERNS.friendArrived);
  }

  /** @param {Tune} tune @param {Pattern} pattern */
  #give(tune, pattern) {
    if (this.#chosen.get("sounds") === "on") this.#senses.play(tune);
    if (this.#chosen.get("vibration") === "on") this.#senses.vibrate(pattern);
  }
}

const sounds = new Sounds(openAudio);

/** The page's own. */
export const feel = new Feel(preferences, { play: (tune) => sounds.play(tune), vibrate });
