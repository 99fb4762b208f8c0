/** A rendered page as it is cached: one response for each content coding. */
import { createHash } from 'node:crypto';
import { type Coding, encodeInAllCodings, type SiteResponse } from '@tenfold/site-server';

export type CachedPage = {
  /** The size of the bodies, in bytes. */
  bytes: number;
  responses: Readonly<Record<Coding, SiteResponse>>;
};

/**
 * Whether this response is the same for every visitor: status 200, no `Set-Cookie`, and no `Cache-Control` of its own.
 */
export function isCacheable({ status, headers }: Response): boolean {
  return status === 200 && !headers.has('set-cookie') && !headers.has('cache-control');
}

/**
 * Converts a rendered response to a page for the cache. Its Content-Security-Policy has the hash of the inline script of
 * this body, so that both are one unit.
 */
export async function toCachedPage(response: Response): Promise<CachedPage> {
  const html = Buffer.from(await response.arrayBuffer());
  const own = Object.fromEntries(response.headers);
  const digest = createHash('sha256').update(JSON.stringify(own)).update(html).digest('base64url');
  const headers = {
    ...own,
    // Weak, because the page has the same tag in all content codings.
    etag: `W/"${digest.slice(0, 22)}"`,
    // Not `public`: a cache that ignores `Vary: Cookie` would send the page to signed-in visitors.
    'cache-control': 'private, no-cache',
    // The language offer depends on `Accept-Language`, as the redirect at `/` does.
    vary: 'Accept-Encoding, Accept-Language, Cookie',
  };
  const { br, gzip, identity } = await encodeInAllCodings(html);
  return {
    bytes: br.length + gzip.length + identity.length,
    responses: {
      br: { status: 200, headers: { ...headers, 'content-encoding': 'br' }, body: br },
      gzip: { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzip },
      identity: { status: 200, headers, body: identity },
    },
  };
}
