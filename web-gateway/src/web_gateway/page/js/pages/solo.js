import "../elements/score-panel.js";
import "../elements/tile-board.js";
import { part } from "../dom.js";
import { isTyping, listenToKeys, listenToSwipes } from "../input.js";
import { SoloGame } from "../solo/solo-game.js";
import { SoloScreen } from "../solo/solo-screen.js";
import { SoloStorage } from "../solo/storage.js";

const solo = new SoloGame(new SoloStorage(() => localStorage), ({ motions }) => screen.show(solo, motions));
const screen = new SoloScreen({
  undo: () => solo.undo(),
  dismiss: () => solo.dismiss(),
  renew: () => solo.renew(),
  choose: (choice) => solo.choose(choice),
  race: async () => (await import("./open-table.js")).openTable(),
});

listenToKeys((direction) => solo.slide(direction));
listenToSwipes(part("stage", HTMLElement), (direction) => solo.slide(direction), () => solo.dismiss());
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || isTyping(event.target)) return;
  if (event.code === "KeyU") solo.undo();
  if (event.code === "Escape") solo.dismiss();
});
screen.show(solo, []);
