/** @typedef {"shared" | "left" | "copied" | "failed"} Outcome */

/**
 * Shares a text by the system's sheet where there is one, else copies it.
 * @param {{title: string, text?: string, url?: string}} what
 * @param {string} copied what is copied where there is no sheet
 * @returns {Promise<Outcome>} `left` where the person closed the sheet
 */
export async function share(what, copied) {
  if (typeof navigator.share !== "function") return copy(copied);
  try {
    await navigator.share(what);
    return "shared";
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError" ? "left" : copy(copied);
  }
}

/**
 * Copies a text; where the page may not use the clipboard, as on plain-HTTP addresses, the old way.
 * @param {string} text
 * @returns {Promise<"copied" | "failed">}
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return copySelected(text) ? "copied" : "failed";
  }
}

/** @param {string} text @returns {boolean} */
function copySelected(text) {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  field.readOnly = true;
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}
