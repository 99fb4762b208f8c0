/**
 * A cache of anonymous pages in memory. For visitors without a session a page depends only on its path and the theme.
 * Each page is rendered once per theme, from a synthetic request without cookies, so it contains no visitor's data.
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
  /** Renders a page for visitors without a session, without a Content-Security-Policy. */
  render: (path: string, theme: Theme) => Promise<Response>;
  log: Pick<Log, 'error' | 'warn'>;
};

/**
 * Creates the step that sends cached pages. It holds at most one entry for each page and theme. If the response of a
 * page is not cacheable, this step never tries the page again. If rendering fails, the next request tries again.
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

  /** Concurrent requests share one rendering (single flight). */
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
