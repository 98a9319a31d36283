const PATIENCE_MS = 3000;

/**
 * Asks whether this site's server answers over HTTP; a page of somebody in between is no answer.
 * @param {typeof fetch} [ask]
 * @returns {Promise<boolean>}
 */
export async function answersHttp(ask = fetch) {
  try {
    const answer = await ask("/healthz", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
    return answer.ok && (await answer.text()).trim() === "ok";
  } catch {
    return false;
  }
}
