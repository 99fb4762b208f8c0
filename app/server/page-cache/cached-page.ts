/** A rendered page as it is cached: one prepared response for each content coding. */
import { createHash } from 'node:crypto';
import type { Env } from '../config/env.ts';
import { type Coding, encodeInAllCodings } from '../http/content-coding.ts';
import type { PreparedResponse } from '../http/exchange.ts';
import { documentPolicy } from '../http/response-head.ts';
import { prepareResponse } from '../http/send.ts';
import type { Log } from '../observability/log.ts';
import { inlineScriptHashes } from './inline-scripts.ts';

export type CachedPage = {
  html: Buffer;
  headers: Readonly<Record<string, string>>;
  responses: Record<Coding, PreparedResponse>;
};

/** What of the configuration is part of a page's head. */
export type PageEnv = Pick<Env, 'appOrigin'> & { userPool: Pick<Env['userPool'], 'domain'> };

/** Whether every visitor may get this response: a plain 200 that sets no cookie and states no caching of its own. */
export function isCacheable({ status, headers }: Response): boolean {
  return status === 200 && !headers.has('set-cookie') && !headers.has('cache-control');
}

/**
 * Makes a rendered response ready to be cached, quickly compressed. Head and body belong together: the policy in the
 * head names the inline scripts of this very body by their hashes.
 */
export async function toCachedPage(env: PageEnv, path: string, response: Response): Promise<CachedPage> {
  const html = Buffer.from(await response.arrayBuffer());
  const policy = documentPolicy(inlineScriptHashes(html.toString()), env, false);
  const digest = createHash('sha256').update(policy).update(html).digest('base64url');
  const headers = {
    ...Object.fromEntries(response.headers),
    'content-security-policy': policy,
    // Weak, because it names the page in all of its content codings.
    etag: `W/"${digest.slice(0, 22)}"`,
    // Not `public`: a cache that ignores `Vary: Cookie` would send the page to signed-in visitors.
    'cache-control': 'private, no-cache',
    vary: path === '/' ? 'Accept-Encoding, Accept-Language, Cookie' : 'Accept-Encoding, Cookie',
  };
  return { html, headers, responses: prepareAll(env, headers, await encodeInAllCodings(html, 'quick')) };
}

function prepareAll(
  env: PageEnv,
  headers: Readonly<Record<string, string>>,
  { br, gzip, identity }: Record<Coding, Buffer>,
): Record<Coding, PreparedResponse> {
  return {
    br: prepareResponse(env, { ...headers, 'content-encoding': 'br' }, br),
    gzip: prepareResponse(env, { ...headers, 'content-encoding': 'gzip' }, gzip),
    identity: prepareResponse(env, headers, identity),
  };
}

/**
 * Creates the function that compresses cached pages again with the best effort and replaces what they were first sent
 * with. One page at a time: each keeps a thread busy for a tenth of a second.
 */
export function createRecompressor(env: PageEnv, log: Pick<Log, 'warn'>): (page: CachedPage) => void {
  let last = Promise.resolve();
  return (page) => {
    last = last
      .then(() => encodeInAllCodings(page.html, 'best'))
      .then((encoded) => {
        page.responses = prepareAll(env, page.headers, encoded);
      })
      .catch((err: unknown) => log.warn({ err }, 'cached page not recompressed'));
  };
}
