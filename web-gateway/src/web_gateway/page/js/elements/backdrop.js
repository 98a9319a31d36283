/**
 * Closes a dialog by a tap beside it. Only what was both pressed and let go there is one, so that marking words in the
 * dialog, or dragging out of it, does not close it. What the dialog holds must cover all of it.
 * @param {HTMLDialogElement} dialog
 */
export function closeByBackdrop(dialog) {
  let beside = false;
  dialog.addEventListener("pointerdown", ({ target }) => (beside = target === dialog));
  dialog.addEventListener("click", ({ target }) => {
    if (beside && target === dialog) dialog.close();
  });
}
