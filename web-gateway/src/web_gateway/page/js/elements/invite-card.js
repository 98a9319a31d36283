import { el, emit, say, show } from "../dom.js";

/** @typedef {{readonly link: string, readonly reach: "public" | "network" | "loopback", readonly table: string, readonly host: boolean}} Invitation */

const TO_THE_HOST = "This server listens on this computer only, so friends cannot reach it. To let your network in, start it with: make play TILERACE_HOST=0.0.0.0";
const TO_FRIENDS = "This link opens on this computer only. Whoever runs the server can let the network in.";

/** Gives the table's link to friends: to copy, to share, to scan. */
export class InviteCard extends HTMLElement {
  #link = el("input", { readonly: true, "aria-label": "Link to this table", class: "link" });
  #copy = el("button", { type: "button", class: "is-main", text: "Copy link" });
  #share = el("button", { type: "button", text: "Share…" });
  #qr = el("img", { class: "qr", alt: "QR code of the link", width: 144, height: 144 });
  #lonely = el("p", { class: "is-warning" });

  connectedCallback() {
    if (this.childElementCount > 0) return;
    this.#link.addEventListener("focus", () => this.#link.select());
    this.#copy.addEventListener("click", () => this.#copied());
    this.#share.addEventListener("click", () => navigator.share({ title: "Race me at 2048", url: this.#link.value }).catch(() => {}));
    show(this.#share, typeof navigator.share === "function");
    const buttons = el("div", { class: "actions" }, this.#copy, this.#share);
    this.append(el("h2", { text: "Invite friends" }), this.#link, buttons, this.#qr, this.#lonely);
  }

  /** @param {Invitation} invitation */
  set invitation({ link, reach, table, host }) {
    if (this.#link.value !== link) this.#link.value = link;
    const source = `/api/tables/${table}/qr.svg`;
    if (this.#qr.getAttribute("src") !== source) this.#qr.src = source;
    show(this.#lonely, reach === "loopback");
    say(this.#lonely, host ? TO_THE_HOST : TO_FRIENDS);
  }

  /** Without the clipboard, which plain-HTTP addresses lack, the selected link is copied the old way. */
  async #copied() {
    try {
      await navigator.clipboard.writeText(this.#link.value);
    } catch {
      this.#link.focus();
      this.#link.select();
      if (!document.execCommand("copy")) return emit(this, "say", "Press Ctrl+C to copy the marked link.");
    }
    emit(this, "say", "The link is copied. Send it to your friends.");
  }
}

customElements.define("invite-card", InviteCard);
