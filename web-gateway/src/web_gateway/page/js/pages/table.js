import { part } from "../dom.js";
import { ConfirmDialog } from "../elements/confirm-dialog.js";
import { TableScreen } from "../elements/table-screen.js";
import { listenToKeys } from "../input.js";
import { keepName } from "../race/name.js";
import { TableStore } from "../race/table-store.js";
import { openTable } from "./open-table.js";

/** @typedef {import("../race/frames.js").Ask} Ask */

const screen = part("table", TableScreen);
const confirm = part("confirm", ConfirmDialog);
const id = location.pathname.split("/").filter(Boolean).pop() ?? "";
const scheme = location.protocol === "https:" ? "wss" : "ws";
const store = new TableStore(`${scheme}://${location.host}/api/tables/${encodeURIComponent(id)}/socket`, (view) => {
  screen.state = { view, at: performance.now(), now: store.now() };
});

/** @param {string} type @param {(detail: any) => void} heard */
const on = (type, heard) => document.addEventListener(type, (event) => event instanceof CustomEvent && heard(event.detail));

on("ask", (/** @type {Ask} */ frame) => {
  if (frame.type === "sit" || frame.type === "rename") keepName(frame.name);
  store.happen({ kind: "ask", frame });
});
on("slide", (direction) => store.happen({ kind: "key", direction }));
on("say", (text) => store.happen({ kind: "say", text }));
on("dismiss", (serial) => store.happen({ kind: "dismiss", serial }));
on("again", () => store.connect());
on("open", async () => {
  const why = await openTable();
  if (why !== null) store.happen({ kind: "say", text: why });
});
on("resign", async (race) => {
  const sure = await confirm.ask({ words: "Resign? You are out of this race, and cannot come back into it.", yes: "Resign", no: "Race on" });
  if (sure) store.happen({ kind: "ask", frame: { type: "resign", race } });
});
on("race-over", () => confirm.dismiss());
listenToKeys((direction) => store.happen({ kind: "key", direction }));
store.connect();
