import "../offline/register.js";
import "../elements/settings-dialog.js";
import { build } from "../build.js";
import { part } from "../dom.js";
import { ConfirmDialog } from "../elements/confirm-dialog.js";
import { TableScreen } from "../elements/table-screen.js";
import { listenToKeys } from "../input.js";
import { namedIn } from "../race/address.js";
import { Asides } from "../race/asides.js";
import { Kept } from "../race/kept.js";
import { keepRules } from "../race/known-rules.js";
import { keepName } from "../race/name.js";
import { TableStore } from "../race/table-store.js";
import { mayLose, timeOf } from "../race/view.js";
import { openTable } from "./open-table.js";

/** @typedef {import("../race/frames.js").Ask} Ask */

const screen = part("table", TableScreen);
const confirm = part("confirm", ConfirmDialog);
const { table: id } = namedIn(location.pathname);
const scheme = location.protocol === "https:" ? "wss" : "ws";
const setting = {
  url: `${scheme}://${location.host}/api/tables/${encodeURIComponent(id)}/socket`,
  build: build || null,
  kept: new Kept(id.toUpperCase().replaceAll("-", ""), { tab: () => sessionStorage, browser: () => localStorage }),
};
let isSliding = false;
/** @type {string | null} */
let named = null;
const asides = new Asides();
const store = new TableStore(setting, (view) => {
  const at = performance.now();
  screen.state = { view, at, now: timeOf(view, at) };
  isSliding = mayLose(view, at);
  asides.follow({ view, at });
  if (view.named !== null && view.named !== named) keepName((named = view.named));
});

/** @param {string} type @param {(detail: any) => void} heard */
const on = (type, heard) => document.addEventListener(type, (event) => event instanceof CustomEvent && heard(event.detail));

on("ask", (/** @type {Ask} */ frame) => {
  if (frame.type === "rules") keepRules(frame);
  store.happen({ kind: "ask", frame });
});
on("slide", (direction) => store.happen({ kind: "key", direction }));
on("say", (text) => store.happen({ kind: "say", text }));
on("dismiss", (serial) => store.happen({ kind: "dismiss", serial }));
on("again", () => store.connect());
on("retry", () => store.retry());
on("later", () => store.happen({ kind: "later" }));
on("reload", () => location.reload());
on("move", () => location.assign(store.link));
on("open", async () => {
  const why = await openTable();
  if (why !== null) store.happen({ kind: "say", text: why });
});
on("resign", async (race) => {
  const sure = await confirm.ask({ words: "Resign? You are out of this race, and cannot come back into it.", yes: "Resign", no: "Race on" });
  if (sure) store.happen({ kind: "ask", frame: { type: "resign", race } });
});
on("leave", async () => {
  const sure = !isSliding || (await confirm.ask({ words: "Leave the table? You are in the race, so that is to resign.", yes: "Resign and leave", no: "Race on" }));
  if (sure) store.happen({ kind: "ask", frame: { type: "leave" } });
});
on("race-over", () => confirm.dismiss());
listenToKeys((direction) => store.happen({ kind: "key", direction }));
store.connect();
