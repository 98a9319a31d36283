/** The release that this page is of, by the name that a table's `hello` gives its own. */
export const build = document.querySelector("meta[name=build]")?.getAttribute("content") ?? "";
