/** `fetch` as tests have it: what a site answers to it is looked through, as are the answers to the tests' visitors. */
import { assertNoSecret, findRegisteredSecret } from './secret-detection.ts';

/** The sites of this test file. Nobody else's answers are looked through: a hosted login's are full of secrets. */
const sites = new Set<string>();

/** From now on, what this origin answers to `fetch` may hold no secret. */
export function checkResponsesOf(origin: string): void {
  sites.add(origin);
}

/**
 * As `fetch`, but rejects when a site gives a secret away: in an answer, which is read to its end beforehand, or in the
 * address that its redirect leads to. Of redirects that are followed on the way, nothing else is to be had.
 */
export function createSecretCheckingFetch(plainFetch: typeof fetch): typeof fetch {
  return async (input, init) => {
    const asked = input instanceof Request ? input.url : String(input);
    const response = await plainFetch(input, init);
    if (response.redirected && isOfSite(asked)) {
      const secret = findRegisteredSecret(response.url);
      if (secret !== null) throw new Error(`${asked} gave away ${secret}, by its redirect`);
    }
    if (isOfSite(response.url)) {
      const { headers } = response;
      const head = { ...Object.fromEntries(headers), 'set-cookie': headers.getSetCookie() };
      assertNoSecret(response.url, { headers: head, body: await response.clone().text() });
    }
    return response;
  };
}

function isOfSite(address: string): boolean {
  return URL.canParse(address) && sites.has(new URL(address).origin);
}
