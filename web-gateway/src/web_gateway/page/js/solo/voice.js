import { Announcer, placeWords, slideWords } from "../announcer.js";
import { part, say } from "../dom.js";
import { ToastList } from "../elements/toast-list.js";
import { biggest, valueOf } from "../engine/board.js";
import { feel } from "../feel.js";
import { grouped, stopped } from "../words.js";
import { messageOf } from "./words.js";

/** @typedef {import("./game.js").Game} Game */
/** @typedef {import("./solo-game.js").Change} Change */
/** @typedef {{readonly game: Game}} Solo */

const ELSEWHERE = "This game went on in another tab.";
const UNKEPT = "Nothing can be saved in this browser: closing this tab loses the game.";
const UNREADABLE = "Your last game could not be read, so here is a new one.";

/** What the solo page says, sounds and shakes besides what it shows. */
export class SoloVoice {
  #announcer = new Announcer((words) => say(part("live", HTMLElement), words));
  #toasts = part("toasts", ToastList);
  /** @type {Map<string, number>} what stands, by its words */
  #standing = new Map();
  #serial = 0;
  #isOurs = true;
  #isKept = true;

  /** @param {{readonly isLost: boolean}} solo as the page opened */
  constructor({ isLost }) {
    this.#toasts.addEventListener("dismiss", (event) => event instanceof CustomEvent && this.#dismiss(event.detail));
    if (isLost) this.toast(UNREADABLE);
  }

  /** @param {Change} change @param {Game} game what it made */
  tell(change, game) {
    const words = saidOf(change, game);
    if (words !== "") this.#announcer.say(words);
    if (change.slid !== null) sound(change.slid, game);
    if (change.deed === "followed" && this.#isOurs) this.toast(ELSEWHERE);
    this.#isOurs = change.deed !== "followed";
    if (!change.isKept && this.#isKept) this.toast(UNKEPT);
    this.#isKept = change.isKept;
  }

  /** @param {string} text said once as long as it stands */
  toast(text) {
    if (!this.#standing.has(text)) this.#standing.set(text, (this.#serial += 1));
    this.#showToasts();
  }

  /** @param {number} serial */
  #dismiss(serial) {
    for (const [text, one] of this.#standing) if (one === serial) this.#standing.delete(text);
    this.#showToasts();
  }

  #showToasts() {
    this.#toasts.toasts = [...this.#standing].map(([text, serial]) => ({ serial, text }));
  }
}

/**
 * What a screen reader says of a change.
 * @param {Change} change
 * @param {Game} game
 * @returns {string} nothing where what is shown says it by itself
 */
export function saidOf({ deed, slid, before }, game) {
  const message = messageOf(game);
  if (deed === "undone") return `Taken back. Score ${grouped(game.score)}.`;
  if (deed === "renewed") return `New game. ${tilesOf(game)}`;
  if (slid === null) return "";
  if (message !== null) return `${stopped(message.title)} ${message.words}`;
  const record = slid.made.some((exponent) => exponent > biggest(before.board));
  const came = { value: valueOf(slid.came.exponent), cell: slid.came.cell };
  return slideWords({ made: slid.made.map(valueOf), score: game.score, record, came });
}

/** @param {Game} game @returns {string} its two tiles and where they are */
function tilesOf({ board }) {
  const cells = [...board.keys()].filter((cell) => board[cell] > 0);
  return `${cells.map((cell) => `${valueOf(board[cell])} ${placeWords(cell)}`).join("; ")}.`;
}

/** @param {import("./game.js").Slid} slid @param {Game} game */
function sound({ points, made }, { word }) {
  if (word === "stuck") feel.stuck();
  else if (word !== null) feel.won();
  else feel.slid({ points, biggest: valueOf(Math.max(0, ...made)) });
}
