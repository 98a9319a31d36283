/** Has the service worker keep the page for times without a network; later than all that play needs. */
function register() {
  navigator.serviceWorker.register("/sw.js", { updateViaCache: "none" }).catch(() => {
    // A browser that keeps nothing plays online only.
  });
}

// It is missing on a plain-HTTP address of the local network.
if ("serviceWorker" in navigator) {
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}
