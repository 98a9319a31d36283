import { el, emit, say, show } from "../dom.js";
import { copy, share } from "../race/share.js";
import { closeByBackdrop } from "./backdrop.js";

/** @typedef {{readonly link: string, readonly reach: "public" | "network" | "loopback", readonly table: string, readonly host: boolean}} Invitation */

const TO_THE_HOST = "This server listens on this computer only, so friends cannot reach it. To let your network in, stop it and start it with: make play TILERACE_HOST=0.0.0.0";
const KEPT = ". What else you had set, such as TILERACE_DATA, is to be set again; then this table is still there.";
/** The port of `make play`, which need not be named. */
const USUAL_PORT = "8048";
const TO_FRIENDS = "This link opens on this computer only. Whoever runs the server can let the network in.";

/** Gives the table's link to friends: to copy, to share, to scan. */
export class InviteCard extends HTMLElement {
  #link = el("input", { readonly: true, "aria-label": "Link to this table", class: "link" });
  #copy = el("button", { type: "button", class: "is-main", text: "Copy link" });
  #share = el("button", { type: "button", text: "Share…" });
  #qr = el("img", { class: "qr", alt: "QR code of the link", width: 144, height: 144 });
  #scan = el("button", { type: "button", class: "scan", title: "Show it large" }, this.#qr);
  #large = el("img", { class: "qr", alt: "QR code of the link", width: 400, height: 400 });
  #address = el("p");
  #dialog = el("dialog", { "aria-label": "Scan to come to this table" },
    el("form", { method: "dialog" }, this.#large, this.#address, el("button", { class: "is-main", text: "Done" })));
  #lonely = el("p", { class: "is-warning" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#link.addEventListener("focus", () => this.#link.select());
    this.#copy.addEventListener("click", () => this.#copied());
    this.#share.addEventListener("click", () => share({ title: "Race me at 2048", url: this.#link.value }, this.#link.value));
    show(this.#share, typeof navigator.share === "function");
    this.#scan.addEventListener("click", () => this.#dialog.showModal());
    closeByBackdrop(this.#dialog);
    const buttons = el("div", { class: "actions" }, this.#copy, this.#share);
    this.append(el("h2", { text: "Invite friends" }), this.#link, buttons, this.#scan, this.#lonely, this.#dialog);
  }

  /** @param {Invitation} invitation */
  set invitation({ link, reach, table, host }) {
    if (this.#link.value !== link) this.#link.value = link;
    const source = `/api/tables/${table}/qr.svg`;
    for (const image of [this.#qr, this.#large]) if (image.getAttribute("src") !== source) image.src = source;
    say(this.#address, link);
    show(this.#lonely, reach === "loopback");
    const port = location.port === USUAL_PORT ? "" : ` TILERACE_PORT=${location.port}`;
    say(this.#lonely, host ? `${TO_THE_HOST}${port}${KEPT}` : TO_FRIENDS);
  }

  async #copied() {
    if ((await copy(this.#link.value)) === "copied") return emit(this, "say", "The link is copied. Send it to your friends.");
    this.#link.focus();
    this.#link.select();
    emit(this, "say", "Copy the marked link.");
  }
}

customElements.define("invite-card", InviteCard);
