import "../offline/register.js";
import "../elements/settings-dialog.js";
import { part, show } from "../dom.js";
import { ReplayChecks } from "../elements/replay-checks.js";
import { ReplayNotice } from "../elements/replay-notice.js";
import { ReplayScreen } from "../elements/replay-screen.js";
import { ToastList } from "../elements/toast-list.js";
import { namedIn } from "../race/address.js";
import { Commitments } from "../race/commitments.js";
import { copy } from "../race/share.js";
import { askReplay } from "../replay/asking.js";
import { actionOf, isTaken } from "../replay/keys.js";
import { hashOf, momentOf } from "../replay/player.js";
import { Showing } from "../replay/showing.js";
import { timelineOf } from "../replay/timeline.js";
import { verify } from "../replay/verify.js";
import { winnerWords } from "../replay/words.js";

/** @typedef {import("../replay/answer.js").Replay} Replay */
/** @typedef {import("../replay/verify.js").Check} Check */
/** @typedef {import("../race/view.js").Toast} Toast */

/** How long a moment stands before the address names it: browsers allow a hundred changes in half a minute. */
const ADDRESS_MS = 400;
/** So that each check can be seen to be done. */
const CHECK_MS = 70;

const screen = part("replay", ReplayScreen);
const notice = part("notice", ReplayNotice);
const checks = part("checks", ReplayChecks);
const toasts = part("toasts", ToastList);
const waiting = part("waiting", HTMLElement);
const { table: code, race: number } = namedIn(location.pathname);
/** @type {Showing | null} */
let showing = null;
/** @type {Replay | null} */
let replay = null;
/** @type {Toast[]} */
let said = [];
let naming = 0;

/** @param {string} type @param {(detail: any) => void} heard */
const on = (type, heard) => document.addEventListener(type, (event) => event instanceof CustomEvent && heard(event.detail));

async function load() {
  const answer = await askReplay(code, number);
  show(waiting, false);
  show(notice, "trouble" in answer);
  show(screen, "replay" in answer);
  if ("trouble" in answer) return notice.tell(answer.trouble, `/t/${code}`);
  begin(answer.replay);
}

/** @param {Replay} found */
function begin(found) {
  replay = found;
  document.title = `${winnerWords(found, found.verdict)}: replay · tilerace`;
  const timeline = timelineOf(found);
  screen.begin(timeline, `/t/${code}`);
  showing = new Showing(timeline, (picture) => {
    screen.state = picture;
    if (!picture.player.playing) nameMoment();
  });
  showing.seek(momentOf(location.hash) ?? timeline.from);
}

/** The address names the moment that is shown, once it stands still. */
function nameMoment() {
  clearTimeout(naming);
  naming = setTimeout(() => {
    if (showing !== null && !showing.player.playing) history.replaceState(null, "", hashOf(showing.player.ms));
  }, ADDRESS_MS);
}

/** @param {string} text */
function say(text) {
  said = [...said, { serial: (said.at(-1)?.serial ?? 0) + 1, text }];
  toasts.toasts = said;
}

/** The address that this page was opened by may be one that only this machine reaches. */
async function copyLink() {
  const link = new URL(hashOf(showing?.player.ms ?? 0), replay?.link ?? location.href).href;
  const outcome = await copy(link);
  say(outcome === "copied" ? "A link to this moment is copied." : "Copy the link from the address bar; it names this moment.");
}

/** @param {Replay} race */
async function check(race) {
  /** @type {Check[]} */
  const done = [];
  showing?.pause();
  checks.begin(race);
  for (const step of verify(race, new Commitments().of(code, race.race))) {
    if (step !== null) {
      checks.add(step);
      done.push(step);
    }
    await new Promise((resolve) => setTimeout(resolve, step === null ? 0 : CHECK_MS));
    if (!checks.open) return;
  }
  checks.end(done);
}

on("act", (act) => {
  if (act === "verify") replay !== null && check(replay);
  else if (act === "link") copyLink();
  else showing?.act(act);
});
on("seek", (ms) => showing?.seek(ms));
on("seeking", (held) => showing?.hold(held));
on("speed", (speed) => showing?.pace(speed));
on("dismiss", (serial) => {
  said = said.filter((toast) => toast.serial !== serial);
  toasts.toasts = said;
});
on("again", load);
addEventListener("online", () => !notice.hidden && load());
addEventListener("hashchange", () => showing?.seek(momentOf(location.hash) ?? 0));
addEventListener("keydown", (event) => {
  const action = actionOf(event);
  if (action === null || showing === null || isTaken(event.target, event.key)) return;
  event.preventDefault();
  // A key that is held down steps on and on, but does not play and pause.
  if (!event.repeat || action !== "toggle") showing.act(action);
});
load();
