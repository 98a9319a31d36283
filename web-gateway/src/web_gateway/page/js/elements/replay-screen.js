import { el, emit, say } from "../dom.js";
import { racerAt } from "../replay/timeline.js";
import { clockTime, markWords } from "../replay/words.js";
import { rulesLine, rulesName } from "../words.js";
import { ReplayControls } from "./replay-controls.js";
import { ReplayCurves } from "./replay-curves.js";
import { icon } from "./replay-icons.js";
import { ReplayRacer } from "./replay-racer.js";

/** @typedef {import("../replay/marks.js").Mark} Mark */
/** @typedef {import("../replay/player.js").Player} Player */
/** @typedef {import("../replay/timeline.js").RacerAt} RacerAt */
/** @typedef {import("../replay/timeline.js").Timeline} Timeline */

/** A race that is over, all boards side by side in race time; emits what its controls do. */
export class ReplayScreen extends HTMLElement {
  #title = el("h1");
  #which = el("p", { class: "quiet" });
  #time = el("strong", { class: "time" });
  #length = el("span", { class: "quiet" });
  #table = el("a", { class: "button is-bare back", "aria-label": "Back to the table", title: "Back to the table" }, icon("back"), el("span", { text: "Table" }));
  #link = el("button", { type: "button", class: "is-bare link", title: "Copy a link to this moment", onclick: () => emit(this, "act", "link") }, icon("link"), el("span", { text: "Link" }));
  #lanes = el("ol", { class: "lanes", "aria-label": "Boards" });
  #curves = new ReplayCurves();
  #words = el("p", { class: "words", role: "status" });
  #controls = new ReplayControls();
  /** @type {ReplayRacer[]} */
  #racers = [];
  /** @type {Timeline | null} */
  #timeline = null;

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#link.setAttribute("aria-label", "Copy a link to this moment");
    const time = el("p", { class: "clock" }, this.#time, " ", this.#length);
    const head = el("header", { class: "race-head" }, this.#table, el("div", { class: "which" }, this.#title, this.#which), time, this.#link);
    this.append(head, el("div", { class: "field" }, this.#lanes, this.#curves), this.#words, this.#controls);
  }

  /** @param {Timeline} timeline @param {string} table the address of its table */
  begin(timeline, table) {
    const { race, rules } = timeline.replay;
    this.#timeline = timeline;
    this.dataset.racers = String(timeline.lanes.length);
    this.#table.setAttribute("href", table);
    say(this.#title, rulesName(rules));
    say(this.#which, `Race ${race}`);
    say(this.#length, `of ${clockTime(timeline.to)}`);
    this.#racers = timeline.lanes.map(() => new ReplayRacer());
    this.#lanes.replaceChildren(...this.#racers.map((racer) => el("li", {}, racer)));
    timeline.lanes.forEach((lane, index) => this.#racers[index].begin(timeline, lane));
    this.#controls.begin(timeline);
    this.#curves.begin(timeline);
  }

  /** @param {{player: Player, still: boolean}} state still where boards are to be as they are, without motion */
  set state({ player, still }) {
    const timeline = this.#timeline;
    if (timeline === null) return;
    const racers = timeline.lanes.map((lane) => racerAt(lane, player.position));
    const over = player.position === timeline.log.length;
    racers.forEach((racer, index) => {
      const best = over ? bestOf(timeline, timeline.lanes[index].seat) : null;
      this.#racers[index].showing = { racer, best, still, leads: !over && leads(racer, racers) };
    });
    say(this.#time, clockTime(player.ms));
    this.#controls.player = player;
    this.#curves.gone = (player.ms - timeline.from) / Math.max(1, timeline.to - timeline.from);
    this.#say(timeline, player, still);
  }

  /** @param {Timeline} timeline @param {Player} player @param {boolean} still */
  #say({ replay, marks }, { position }, still) {
    // What flies by while one drags is not read out.
    this.#words.setAttribute("aria-live", still ? "off" : "polite");
    const mark = marks.findLast((one) => one.position <= position);
    this.#words.dataset.kind = mark?.kind ?? "";
    say(this.#words, mark === undefined ? `${rulesLine(replay.rules)}.` : mark.kind === "verdict" ? markWords(replay, mark) : `${clockTime(mark.ms)} · ${markWords(replay, mark)}`);
  }
}

/** @param {Timeline} timeline @param {number} seat @returns {"won" | "draw" | null} */
function bestOf({ replay: { verdict } }, seat) {
  if (verdict.winner === seat) return "won";
  return verdict.tied.includes(seat) ? "draw" : null;
}

/** @param {RacerAt} racer @param {readonly RacerAt[]} racers @returns {boolean} */
const leads = (racer, racers) => isIn(racer) && racers.every((other) => other === racer || !isIn(other) || other.score < racer.score);

/** @param {RacerAt} racer @returns {boolean} */
const isIn = ({ state }) => state === "sliding" || state === "stuck";

customElements.define("replay-screen", ReplayScreen);
