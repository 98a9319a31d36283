// A classic script in the head, so that the chosen colours are there before anything is painted.
(() => {
  const KEY = "tilerace.theme";
  const root = document.documentElement;
  const apply = (/** @type {string | null} */ theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const kept = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  apply(kept());
  addEventListener("storage", (event) => event.key === KEY && apply(event.newValue));
})();
