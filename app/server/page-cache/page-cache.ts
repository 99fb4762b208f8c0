/**
 * A cache of anonymous pages in memory. For visitors without a session a page depends only on its path, the theme, and
 * the language of the language offer. It is rendered from a canonical request that contains nothing else.
 */
import type { IncomingMessage } from 'node:http';
import {
  addressBlock,
  createCodingChoice,
  type Exchange,
  type Log,
  type SiteResponse,
  type Step,
} from '@tenfold/site-server';
import { LRUCache } from 'lru-cache';
import type { RenderLimit } from '../rate-limit/render-limit.ts';
import { type CachedPage, isCacheable, toCachedPage } from './cached-page.ts';
import {
  type CacheablePage,
  type CacheablePages,
  createPageCacheKeys,
  type PageCacheKey,
} from './page-cache-key.ts';

/**
 * Room for some 300 pages, and as much for those with parameters: requests for many of these do not remove the others. The
 * least recently used are removed.
 */
const MAX_BYTES = 32 * 1024 * 1024;

export type PageCacheOptions = {
  env: { session: { secure: boolean } };
  cacheablePages: CacheablePages;
  /** Renders a page for visitors without a session. */
  renderAnonymously: (key: PageCacheKey) => Promise<Response>;
  addressOf: (request: IncomingMessage) => string;
  limitRendering: RenderLimit;
  log: Pick<Log, 'error'>;
  maxBytes?: number;
};

/** A page, or that its response differs between visitors. */
type Lookup = CachedPage | 'uncacheable';

/**
 * Creates the step that sends cached pages. If the response of a page is not cacheable, this step leaves the page to the
 * next ones. If rendering fails, the next request tries again.
 */
export function createPageCache(options: PageCacheOptions): Step {
  const { env, cacheablePages, renderAnonymously, addressOf, limitRendering, log } = options;
  const keyOf = createPageCacheKeys(env.session, cacheablePages);
  const createCache = () =>
    new LRUCache<string, Lookup>({
      maxSize: options.maxBytes ?? MAX_BYTES,
      sizeCalculation: (page) => (page === 'uncacheable' ? 1 : page.bytes),
    });
  const caches = { plain: createCache(), withParameters: createCache() };
  const cacheOf = ({ isOneOfMany }: CacheablePage) => (isOneOfMany ? caches.withParameters : caches.plain);
  const inProgress = new Map<string, Promise<Lookup>>();
  const chooseCoding = createCodingChoice();

  const render = async (name: string, key: PageCacheKey, source: CacheablePage): Promise<Lookup> => {
    try {
      const response = await renderAnonymously(key);
      const page = isCacheable(response) ? await toCachedPage(response) : 'uncacheable';
      // There is no end of paths with parameters that have no page: none of them is kept.
      const isKept = response.status < 500 && !(source.isOneOfMany && page === 'uncacheable');
      // A time of 0 has no end.
      const ttl = Number.isFinite(source.seconds) ? source.seconds * 1000 : 0;
      if (isKept) cacheOf(source).set(name, page, { ttl });
      return page;
    } catch (err) {
      log.error({ err, path: key.path }, 'anonymous page not rendered');
      return 'uncacheable';
    }
  };

  /** Concurrent requests with the same key share one rendering (single flight). */
  const renderOnce = (name: string, key: PageCacheKey, source: CacheablePage): Promise<Lookup> => {
    const flight = inProgress.get(name) ?? render(name, key, source).finally(() => inProgress.delete(name));
    inProgress.set(name, flight);
    return flight;
  };

  const respond = (exchange: Exchange, page: Lookup, { routeId }: CacheablePage): SiteResponse | null => {
    if (page === 'uncacheable') return null;
    exchange.routeId = routeId;
    return page.responses[chooseCoding(exchange.headers.get('accept-encoding') ?? undefined)];
  };

  return (exchange) => {
    const key = keyOf(exchange);
    const source = key && cacheablePages.get(key.path);
    if (!source) return null;
    const name = `${key.theme} ${key.offer} ${key.path}`;
    const page = cacheOf(source).get(name);
    if (page) return respond(exchange, page, source);
    // A page that is not in the cache takes a turn of its visitor, also when it is already being rendered for others.
    return limitRendering(exchange, addressBlock(addressOf(exchange.request)), async () =>
      respond(exchange, await renderOnce(name, key, source), source),
    );
  };
}
