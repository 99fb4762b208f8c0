/** A `fetch` that searches the responses of the site for secrets. */
import { assertNoSecret, findRegisteredSecret } from './secret-detection.ts';

/** The origins to check. Responses of the hosted login are left out because they contain tokens by design. */
const siteOrigins = new Set<string>();

/** From now on responses of this origin must not contain a secret. */
export function checkResponsesOf(origin: string): void {
  siteOrigins.add(origin);
}

const plainFetch = globalThis.fetch;

/**
 * A `fetch` that rejects when a response of the site, or the address that its redirect leads to, contains a secret. The
 * body is read to its end first. `fetch` exposes nothing else of the redirects that it follows.
 */
export const secretCheckingFetch: typeof fetch = async (input, init) => {
  const requestUrl = input instanceof Request ? input.url : String(input);
  const response = await plainFetch(input, init);
  if (response.redirected && isOfSite(requestUrl)) {
    const secret = findRegisteredSecret(response.url);
    if (secret !== null) throw new Error(`${requestUrl} exposed ${secret} in a redirect`);
  }
  if (isOfSite(response.url)) {
    const { headers } = response;
    const head = { ...Object.fromEntries(headers), 'set-cookie': headers.getSetCookie() };
    assertNoSecret(response.url, { headers: head, body: await response.clone().text() });
  }
  return response;
};

function isOfSite(url: string): boolean {
  return URL.canParse(url) && siteOrigins.has(new URL(url).origin);
}
