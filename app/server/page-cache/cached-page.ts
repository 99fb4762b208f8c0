/** A rendered page as it is cached: one prepared response for each content coding. */
import { createHash } from 'node:crypto';
import type { Env } from '../config/env.ts';
import { type Coding, encodeInAllCodings } from '../http/content-coding.ts';
import type { PreparedResponse } from '../http/exchange.ts';
import { documentPolicy, type PolicyEnv, type ResponseHeads } from '../http/response-head.ts';
import { type PreparedHeaders, prepareResponse } from '../http/send.ts';
import type { Log } from '../observability/log.ts';
import { inlineScriptHashes } from './inline-scripts.ts';

export type CachedPage = {
  html: Buffer;
  headers: PreparedHeaders;
  responses: Record<Coding, PreparedResponse>;
  /** For a cache that decides by itself how long it stores the page. Null if none may store it. */
  keyedResponses: Record<Coding, PreparedResponse> | null;
};

/**
 * How long a cache in front of the site may send a page. It is fresh for an hour, and may then be sent while it is loaded
 * again. If the site does not respond, a page that was requested in the last day is sent for another day at least. A
 * deployment removes all pages (docs/deployment.md).
 */
const SHARED_LIFETIME = 'max-age=3600, stale-while-revalidate=172800, stale-if-error=172800';

type CachedPageEnv = PolicyEnv & Pick<Env, 'sharedCache'>;

/**
 * Whether this response is the same for every visitor: status 200, no `Set-Cookie`, and no `Cache-Control` of its own.
 */
export function isCacheable({ status, headers }: Response): boolean {
  return status === 200 && !headers.has('set-cookie') && !headers.has('cache-control');
}

/**
 * Converts a rendered response to a page for the cache, compressed with a fast setting. The Content-Security-Policy in
 * the head contains the hashes of the inline scripts of this body.
 */
export async function toCachedPage(
  env: CachedPageEnv,
  heads: ResponseHeads,
  response: Response,
): Promise<CachedPage> {
  const html = Buffer.from(await response.arrayBuffer());
  const policy = documentPolicy(inlineScriptHashes(html.toString()), env, false);
  const digest = createHash('sha256').update(JSON.stringify(policy)).update(html).digest('base64url');
  const headers = {
    ...Object.fromEntries(response.headers),
    ...policy,
    // Weak, because the page has the same tag in all content codings.
    etag: `W/"${digest.slice(0, 22)}"`,
    // Not `public`: a cache that ignores `Vary: Cookie` would send the page to signed-in visitors.
    'cache-control': 'private, no-cache',
    // The language offer depends on `Accept-Language`, as the redirect at `/` does.
    vary: 'Accept-Encoding, Accept-Language, Cookie',
    ...(env.sharedCache ? { 'cdn-cache-control': SHARED_LIFETIME } : {}),
  };
  return { html, headers, ...prepareForAll(heads, headers, await encodeInAllCodings(html, 'quick')) };
}

function prepareForAll(
  heads: ResponseHeads,
  headers: PreparedHeaders,
  encoded: Record<Coding, Buffer>,
): Pick<CachedPage, 'responses' | 'keyedResponses'> {
  // A cache that stores pages without a lifetime must not send this one to visitors, who have no key.
  const keyedHeaders = { ...headers, vary: `${headers.vary}, X-Page-Key` };
  return {
    responses: prepareAll(heads, headers, encoded, false),
    keyedResponses: 'cdn-cache-control' in headers ? prepareAll(heads, keyedHeaders, encoded, true) : null,
  };
}

function prepareAll(
  heads: ResponseHeads,
  headers: PreparedHeaders,
  { br, gzip, identity }: Record<Coding, Buffer>,
  isForCache: boolean,
): Record<Coding, PreparedResponse> {
  return {
    br: prepareResponse(heads, { ...headers, 'content-encoding': 'br' }, br, isForCache),
    gzip: prepareResponse(heads, { ...headers, 'content-encoding': 'gzip' }, gzip, isForCache),
    identity: prepareResponse(heads, headers, identity, isForCache),
  };
}

/**
 * Creates a function that compresses cached pages again with the best setting and replaces their responses. It handles
 * one page at a time, because each takes a thread 100 ms.
 */
export function createRecompressor(heads: ResponseHeads, log: Pick<Log, 'warn'>): (page: CachedPage) => void {
  let last = Promise.resolve();
  return (page) => {
    last = last
      .then(() => encodeInAllCodings(page.html, 'best'))
      .then((encoded) => {
        Object.assign(page, prepareForAll(heads, page.headers, encoded));
      })
      .catch((err: unknown) => log.warn({ err }, 'cached page not recompressed'));
  };
}
