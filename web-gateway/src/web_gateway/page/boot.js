// A classic script in the head: before anything is painted the chosen colours are there, and from the start it hears
// what fails to load. It has one address for all builds, so it comes also where the rest of its build does not.
(() => {
  const THEME = "tilerace.theme";
  const TRIES = "tilerace.tries";
  const PAUSES_MS = [300, 1000, 2000, 4000, 8000, 15_000, 30_000];
  const CALM_MS = 20_000;
  const root = document.documentElement;

  const kept = (/** @type {() => Storage} */ shelf, /** @type {string} */ key) => {
    try {
      return shelf().getItem(key);
    } catch {
      return null;
    }
  };

  const colour = (/** @type {string | null} */ theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  // The browser's own bar goes with the page, which is not always as the system is.
  const BARS = { light: "#faf7f0", dark: "#15131a" };
  const colourBar = () => {
    for (const bar of document.querySelectorAll("meta[name=theme-color]")) {
      const own = bar.getAttribute("media")?.includes("dark") ? "dark" : "light";
      bar.setAttribute("content", BARS[/** @type {"light" | "dark" | undefined} */ (root.dataset.theme) ?? own]);
    }
  };
  new MutationObserver(colourBar).observe(root, { attributeFilter: ["data-theme"] });
  colour(kept(() => localStorage, THEME));
  addEventListener("storage", (event) => event.key === THEME && colour(event.newValue));

  // While a release is rolled out, a page may come from one gateway and its files be asked of another, which has not
  // got them. A little later both are of one release.
  let failed = false;
  const tries = Number(kept(() => sessionStorage, TRIES) ?? 0);
  const count = (/** @type {number} */ made) => {
    try {
      if (made === 0) sessionStorage.removeItem(TRIES);
      else sessionStorage.setItem(TRIES, String(made));
      return true;
    } catch {
      return false;
    }
  };
  const isNeeded = (/** @type {EventTarget | null} */ element) =>
    element instanceof HTMLScriptElement || (element instanceof HTMLLinkElement && element.rel === "stylesheet");
  const say = (/** @type {string} */ words, /** @type {Element[]} */ ...more) => {
    const notice = document.createElement("div");
    notice.setAttribute("role", "alert");
    notice.className = "unloaded";
    notice.append(words, ...more);
    const put = () => document.body.append(notice);
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", put);
    else put();
  };
  const retry = () => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Load it again";
    button.addEventListener("click", () => {
      count(0);
      location.reload();
    });
    return button;
  };
  const again = () => {
    if (navigator.onLine) location.reload();
    else addEventListener("online", () => location.reload(), { once: true });
  };
  const heal = () => {
    // Without a count that is kept it might go on for ever.
    const may = tries < PAUSES_MS.length && count(tries + 1);
    if (may) setTimeout(again, PAUSES_MS[tries]);
    if (!may) say("This page did not come whole.", retry());
    else if (tries > 0) say("A new version is being put in place. This page comes back by itself in a moment.");
  };
  addEventListener(
    "error",
    ({ target }) => {
      if (failed || !isNeeded(target)) return;
      failed = true;
      heal();
    },
    true,
  );
  // Not at once: what the page loads last may be what fails each time.
  addEventListener("load", () => setTimeout(() => failed || count(0), CALM_MS));
})();
