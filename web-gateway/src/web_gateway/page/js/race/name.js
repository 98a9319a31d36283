const KEY = "tilerace.name";

/**
 * The name used last in this browser.
 * @returns {string | null}
 */
export function knownName() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** @param {string | null} name to be used the next time */
export function keepName(name) {
  try {
    if (name !== null) localStorage.setItem(KEY, name);
  } catch {
    // It is then asked for again.
  }
}
