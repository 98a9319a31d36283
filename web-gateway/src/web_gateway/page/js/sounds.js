/**
 * One note: when it begins after the tune does and how long it rings, in seconds; its pitch in hertz; how loud, up to 1.
 * @typedef {{readonly at: number, readonly hertz: number, readonly seconds: number, readonly loud: number}} Note
 */
/** @typedef {readonly Note[]} Tune */

/** The lowest note, an A. */
const LOWEST = 220;
/** Five tones of an octave that sound well in any order, in semitones. */
const SCALE = [0, 2, 4, 7, 9];
/** How loud everything is together: these are to be heard beside music, not above it. */
const LOUDNESS = 0.22;
/** So many notes ring at a time; more would only be noise. */
const VOICES = 16;

/** @param {number} degree of the scale, counted on through the octaves @returns {number} hertz */
const pitchOf = (degree) => LOWEST * 2 ** (Math.floor(degree / SCALE.length) + SCALE[degree % SCALE.length] / 12);

/** @param {readonly number[]} degrees @param {{every: number, seconds: number, loud: number}} how @returns {Tune} */
const run = (degrees, { every, seconds, loud }) => degrees.map((degree, index) => ({ at: index * every, hertz: pitchOf(degree), seconds, loud }));

/**
 * A slide: a soft tap, and where tiles merged a note above it, the higher the bigger the tile.
 * @param {number} exponent of the biggest tile that was made; 0 for none
 * @returns {Tune}
 */
export function slideTune(exponent) {
  const tap = { at: 0, hertz: LOWEST / 2, seconds: 0.05, loud: 0.35 };
  return exponent === 0 ? [tap] : [tap, { at: 0.06, hertz: pitchOf(exponent - 2), seconds: 0.22, loud: 0.6 }];
}

/**
 * The countdown's seconds, and a long higher one when the boards come alive.
 * @param {number} left whole seconds
 * @returns {Tune}
 */
export const countTune = (left) => run([left > 0 ? 5 : 10], { every: 0, seconds: left > 0 ? 0.14 : 0.45, loud: 0.7 });

/** All other tunes. */
export const TUNES = {
  won: run([5, 7, 9, 10, 12], { every: 0.09, seconds: 0.5, loud: 0.55 }),
  stuck: run([6, 4, 1], { every: 0.16, seconds: 0.45, loud: 0.5 }),
  raceWon: run([5, 8, 10, 8, 10, 13], { every: 0.1, seconds: 0.55, loud: 0.6 }),
  raceLost: run([8, 6, 5], { every: 0.18, seconds: 0.5, loud: 0.45 }),
  friendArrived: run([8, 10], { every: 0.12, seconds: 0.4, loud: 0.5 }),
};

/**
 * Plays tunes of plain tones, made as they are played. The browser lets a page sound only after it was touched or a key
 * was pressed, so nothing is opened before; without a way to sound it stays silent.
 */
export class Sounds {
  #open;
  /** @type {BaseAudioContext | null} */
  #context = null;
  /** @type {AudioNode | null} */
  #out = null;
  #ringing = 0;

  /** @param {() => BaseAudioContext | null} open gives what sounds, null as long as that is not allowed */
  constructor(open) {
    this.#open = open;
  }

  /** @param {Tune} tune */
  play(tune) {
    this.#context ??= this.#open();
    if (this.#context === null) return;
    const isAwake = this.#context.state === "running" || !("resume" in this.#context);
    // What was asked for while it slept would all sound at once.
    if (!isAwake && this.#ringing > 0) return;
    if (!isAwake) /** @type {AudioContext} */ (this.#context).resume().catch(() => {});
    for (const note of tune) if (this.#ringing < VOICES) this.#ring(this.#context, note);
  }

  /** A tone and, softer and shorter, two octaves above it: about what a wooden bar does. @param {BaseAudioContext} context @param {Note} note */
  #ring(context, { at, hertz, seconds, loud }) {
    const from = context.currentTime + at;
    const voice = this.#voice(context, { from, hertz, seconds, loud });
    this.#voice(context, { from, hertz: hertz * 4, seconds: seconds / 3, loud: loud / 6 });
    this.#ringing += 1;
    voice.addEventListener("ended", () => (this.#ringing -= 1));
  }

  /** @param {BaseAudioContext} context @param {{from: number, hertz: number, seconds: number, loud: number}} tone @returns {OscillatorNode} */
  #voice(context, { from, hertz, seconds, loud }) {
    const [voice, gain] = [context.createOscillator(), context.createGain()];
    voice.frequency.value = hertz;
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(loud, from + 0.004);
    gain.gain.exponentialRampToValueAtTime(0.0001, from + seconds);
    voice.connect(gain).connect((this.#out ??= outOf(context)));
    voice.start(from);
    voice.stop(from + seconds);
    return voice;
  }
}

/** @param {BaseAudioContext} context @returns {AudioNode} */
function outOf(context) {
  const out = context.createGain();
  out.gain.value = LOUDNESS;
  out.connect(context.destination);
  return out;
}

/** Opens the browser's own, once one has touched the page or pressed a key. @returns {AudioContext | null} */
export function openAudio() {
  const allowed = navigator.userActivation?.hasBeenActive !== false;
  return allowed && "AudioContext" in globalThis ? new AudioContext({ latencyHint: "interactive" }) : null;
}
