/**
 * A cache of anonymous pages in memory. For visitors without a session a page depends only on its path, the theme, and
 * the language of the language offer. It is rendered from a synthetic request that contains nothing else, so it
 * contains no data of a visitor.
 */
import type { IncomingMessage } from 'node:http';
import type { Env } from '../config/env.ts';
import { createCodingChoice } from '../http/content-coding.ts';
import type { Exchange, PreparedResponse, Step } from '../http/exchange.ts';
import type { RenderLimit } from '../http/render-limit.ts';
import type { PolicyEnv, ResponseHeads } from '../http/response-head.ts';
import { addressBlock } from '../http/visitor-address.ts';
import type { Log } from '../observability/log.ts';
import { type CachedPage, createRecompressor, isCacheable, toCachedPage } from './cached-page.ts';
import { createPageCacheKeys, nameOfKey, type PageCacheKey } from './page-cache-key.ts';
import { createPageStore } from './page-store.ts';

/**
 * The header in which CloudFront names the key that it computed. CloudFront ignores `CDN-Cache-Control`: it stores a page
 * without `Cache-Control` for the time of its cache policy, and its response headers policy adds that of browsers.
 */
const PAGE_KEY = 'x-page-key';

export type PageCacheOptions = {
  env: PolicyEnv & Pick<Env, 'sharedCache'> & { session: { secure: boolean } };
  heads: ResponseHeads;
  /** Path to route id of every cacheable page. */
  cacheablePages: ReadonlyMap<string, string>;
  /** Renders a page for visitors without a session, without a Content-Security-Policy. */
  renderAnonymously: (key: PageCacheKey) => Promise<Response>;
  addressOf: (request: IncomingMessage) => string;
  limitRendering: RenderLimit;
  log: Pick<Log, 'error' | 'warn'>;
};

/**
 * Creates the step that sends cached pages. If the response of a page is not cacheable, this step never tries the page
 * again. If rendering fails, the next request tries again.
 */
export function createPageCache(options: PageCacheOptions): Step {
  const { env, heads, cacheablePages: pages, renderAnonymously, addressOf, limitRendering, log } = options;
  const keyOf = createPageCacheKeys(env.session, pages);
  const store = createPageStore();
  const recompress = createRecompressor(heads, log);
  const chooseCoding = createCodingChoice();
  const inProgress = new Map<string, Promise<CachedPage | null>>();

  const fill = async (key: PageCacheKey): Promise<CachedPage | null> => {
    try {
      const response = await renderAnonymously(key);
      const page = isCacheable(response) ? await toCachedPage(env, heads, response) : null;
      if (response.status < 500) store.set(key, page);
      // A page with an offer may be removed and rendered again at any time, which must not cost 100 ms of a thread.
      if (page && key.offer === null) recompress(page);
      return page;
    } catch (err) {
      log.error({ err, path: key.path }, 'anonymous page not rendered');
      return null;
    }
  };

  /** Concurrent requests with the same key share one rendering (single flight). */
  const fillOnce = (key: PageCacheKey): Promise<CachedPage | null> => {
    const name = `${key.theme} ${key.offer} ${key.path}`;
    const flight = inProgress.get(name) ?? fill(key).finally(() => inProgress.delete(name));
    inProgress.set(name, flight);
    return flight;
  };

  /** A page that is not in the cache takes a turn of its visitor, also when it is already being rendered for others. */
  const fillAndRespond = (exchange: Exchange, key: PageCacheKey) =>
    limitRendering(exchange, addressBlock(addressOf(exchange.request)), async () => {
      const page = await fillOnce(key);
      return page && respond(exchange, key, page);
    });

  const respond = (exchange: Exchange, key: PageCacheKey, page: CachedPage): PreparedResponse => {
    exchange.routeId = pages.get(exchange.path) ?? null;
    const coding = chooseCoding(exchange.headers.get('accept-encoding') ?? undefined);
    const { responses, keyedResponses } = page;
    // A cache that computed another key gets the page for its visitor, and stores nothing.
    const isKeyed = keyedResponses && exchange.headers.get(PAGE_KEY) === nameOfKey(key);
    return (isKeyed ? keyedResponses : responses)[coding];
  };

  return (exchange) => {
    const key = keyOf(exchange);
    if (!key) return null;
    const page = store.get(key);
    if (page) return respond(exchange, key, page);
    if (page === null) return null;
    return fillAndRespond(exchange, key);
  };
}
