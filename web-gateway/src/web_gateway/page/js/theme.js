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
  const keep = (/** @type {string} */ theme) => {
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // The choice then holds for this page only.
    }
  };
  const isDark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  apply(kept());
  addEventListener("storage", (event) => event.key === KEY && apply(event.newValue));
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || event.target.closest("[data-switch=theme]") === null) return;
    const theme = isDark() ? "light" : "dark";
    apply(theme);
    keep(theme);
  });
})();
