import "../elements/score-panel.js";
import "../elements/tile-board.js";
import { part } from "../dom.js";
import { isTyping, isUndoKey, listenToKeys, listenToSwipes } from "../input.js";
import { SoloGame } from "../solo/solo-game.js";
import { SoloScreen } from "../solo/solo-screen.js";
import { SoloStorage } from "../solo/storage.js";

/** @typedef {import("../solo/solo-game.js").Change} Change */

// The first slide waits neither for what is said of it nor for what else one can do.
const later = import("./solo-later.js").then(({ voiceOf }) => voiceOf(solo));

const solo = new SoloGame(new SoloStorage(() => localStorage), (change) => {
  screen.show(solo, change);
  later.then((voice) => voice.tell(change, solo.game));
});
const screen = new SoloScreen({
  undo: () => solo.undo(),
  dismiss: () => solo.dismiss(),
  renew: () => solo.renew(),
  choose: (choice) => solo.choose(choice),
  race,
});

async function race() {
  const button = part("race", HTMLButtonElement);
  button.disabled = true;
  const { openTable } = await import("./open-table.js");
  const why = await openTable();
  button.disabled = false;
  if (why !== null) (await later).toast(why);
}

listenToKeys((direction) => solo.slide(direction));
listenToSwipes(part("stage", HTMLElement), (direction) => solo.slide(direction), () => solo.dismiss());
addEventListener("keydown", (event) => {
  if (event.repeat || isTyping(event.target)) return;
  if (isUndoKey(event)) solo.undo();
  if (event.key === "Escape") solo.dismiss();
});
// A page that slept has heard of nothing.
for (const woken of ["storage", "pageshow", "focus"]) addEventListener(woken, () => solo.follow());
document.addEventListener("visibilitychange", () => solo.follow());
screen.show(solo, null);
