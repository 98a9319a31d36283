/**
 * An element with its classes, attributes, listeners and children. Names that begin with `on` are listeners; `class`,
 * `text` and attributes are set as they are, and false, null or undefined leave one out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [traits]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, traits = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(traits)) setTrait(element, name, value);
  element.append(...children);
  return element;
}

/** @param {HTMLElement} element @param {string} name @param {unknown} value */
function setTrait(element, name, value) {
  if (value === false || value === null || value === undefined) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
  else if (name === "text") element.textContent = String(value);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * Sets an element's words, and touches nothing where they are the same, so that screen readers stay calm.
 * @param {Element} element
 * @param {string} words
 */
export function say(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

/**
 * Shows or hides an element.
 * @param {HTMLElement} element
 * @param {boolean} shown
 */
export function show(element, shown) {
  if (element.hidden === shown) element.hidden = !shown;
}

/**
 * The element with that id, which the page must have.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function part(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new TypeError(`the page has no ${type.name} #${id}`);
  return found;
}

/**
 * Tells those around an element what a person wants done.
 * @param {HTMLElement} element
 * @param {string} type
 * @param {unknown} [detail]
 */
export function emit(element, type, detail) {
  element.dispatchEvent(new CustomEvent(type, { bubbles: true, detail }));
}
