/**
 * What browsers that tell trusted addresses from texts have; what they trust goes where a text would.
 * @typedef {{createPolicy: (name: string, rules: {createScriptURL: () => string}) => {createScriptURL: (text: string) => string}}} TrustedTypes
 */

const WORKER = "/sw.js";

/** Has the service worker keep the page for times without a network; later than all that play needs. */
function register() {
  navigator.serviceWorker.register(trusted(), { updateViaCache: "none" }).catch(() => {
    // A browser that keeps nothing plays online only.
  });
}

/**
 * The worker's address, as one that the page's policy trusts; the only one that it ever does.
 * @returns {string}
 */
function trusted() {
  const { trustedTypes } = /** @type {{trustedTypes?: TrustedTypes}} */ (globalThis);
  return trustedTypes?.createPolicy("worker", { createScriptURL: () => WORKER }).createScriptURL(WORKER) ?? WORKER;
}

// It is missing on a plain-HTTP address of the local network.
if ("serviceWorker" in navigator) {
  if (document.readyState === "complete") register();
  else addEventListener("load", register, { once: true });
}
