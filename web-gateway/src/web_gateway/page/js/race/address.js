/** What is no letter or digit at the end of a part, as it is in the sentence around a link. */
const ENDING = /(?:%[0-9A-F]{2}|[^0-9A-Z])+$/i;

/**
 * Reads which table a page's address names, and which of its races. A kept page is shown at the address that was opened,
 * which the server might have made plain.
 * @param {string} path
 * @returns {{readonly table: string, readonly race: string}} "" where it names none
 */
export function namedIn(path) {
  const [, , table = "", , race = ""] = path.split("/").map((part) => part.replace(ENDING, ""));
  return { table, race };
}
