/**
 * Anonymous pages from memory. What a visitor without a session sees depends on the path and the theme alone: each page
 * is rendered once per theme, from a synthetic request without cookies, so that nothing of any visitor can be in it.
 */
import type { Theme } from '../../theme/theme.ts';
import { createCodingChoice } from '../http/content-coding.ts';
import type { Exchange, PreparedResponse, Step } from '../http/exchange.ts';
import type { Log } from '../observability/log.ts';
import {
  type CachedPage,
  createRecompressor,
  isCacheable,
  type PageEnv,
  toCachedPage,
} from './cached-page.ts';
import { createPageCacheKeys } from './page-cache-key.ts';

export type PageCacheOptions = {
  env: PageEnv & { session: { secure: boolean } };
  /** Path to route id of every cacheable page. */
  pages: ReadonlyMap<string, string>;
  /** Renders a page as an anonymous visitor sees it, without a policy for its scripts. */
  render: (path: string, theme: Theme) => Promise<Response>;
  log: Pick<Log, 'error' | 'warn'>;
};

/**
 * A step that sends cached pages. It holds one entry for each page and theme at most. A page whose response is not
 * cacheable is left to the next step for good, one whose rendering fails until the next request.
 */
export function createPageCache({ env, pages, render, log }: PageCacheOptions): Step {
  const keyOf = createPageCacheKeys(env.session, pages);
  const cached: Record<Theme, Map<string, CachedPage | null>> = {
    dark: new Map(),
    light: new Map(),
    system: new Map(),
  };
  const rendering = new Map<string, Promise<CachedPage | null>>();
  const recompress = createRecompressor(env, log);
  const chooseCoding = createCodingChoice();

  const fill = async (path: string, theme: Theme): Promise<CachedPage | null> => {
    try {
      const response = await render(path, theme);
      const page = isCacheable(response) ? await toCachedPage(env, path, response) : null;
      if (response.status < 500) cached[theme].set(path, page);
      if (page) recompress(page);
      return page;
    } catch (err) {
      log.error({ err, path }, 'anonymous page not rendered');
      return null;
    }
  };

  /** One rendering serves every request that arrives meanwhile (single flight). */
  const fillOnce = (path: string, theme: Theme): Promise<CachedPage | null> => {
    const key = `${theme} ${path}`;
    const flight = rendering.get(key) ?? fill(path, theme).finally(() => rendering.delete(key));
    rendering.set(key, flight);
    return flight;
  };

  const respond = (exchange: Exchange, page: CachedPage): PreparedResponse => {
    exchange.routeId = pages.get(exchange.path) ?? null;
    return page.responses[chooseCoding(exchange.headers.get('accept-encoding') ?? undefined)];
  };

  return (exchange) => {
    const key = keyOf(exchange);
    if (!key) return null;
    const page = cached[key.theme].get(key.path);
    if (page) return respond(exchange, page);
    if (page === null) return null;
    return fillOnce(key.path, key.theme).then((filled) => (filled ? respond(exchange, filled) : null));
  };
}
