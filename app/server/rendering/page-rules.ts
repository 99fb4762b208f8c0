/** The rules of pages in app/pages.ts: their names are checked at start, and the rules at each request for a page. */
import type { AppLoadContext } from '@remix-run/node';
import type { Log } from '@tenfold/site-server';
import { layoutNames, type Page, pageNotFound } from '../../pages.ts';
import { type RouteMiddleware, routeMiddleware } from './route-middleware.ts';

/** The names in the rules of a page. They are strings, because the list of pages may be edited without a type check. */
type NamedRules = {
  name: string;
  layout?: string | undefined;
  forcedTheme?: string | undefined;
  middleware?: readonly string[] | undefined;
  cacheSeconds?: number | undefined;
  maxBodyBytes?: number | undefined;
};

/** Two such bodies at a time would take all the memory that bodies may have. */
const MOST_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Throws when a page names an unknown route middleware or layout, keeps responses for a negative time, or accepts bodies of
 * no or too many bytes. Logs a page whose theme cannot be forced.
 */
export function checkPages(pages: readonly NamedRules[], log: Pick<Log, 'warn'>): void {
  const problems = pages.flatMap(({ name, layout, middleware = [], cacheSeconds = 0, maxBodyBytes = 1 }) => [
    ...middleware
      .filter((named) => !Object.hasOwn(routeMiddleware, named))
      .map((named) => `Page '${name}' in app/pages.ts: unknown middleware '${named}'.`),
    ...(layout === undefined || layoutNames.some((name) => name === layout)
      ? []
      : [`Page '${name}' in app/pages.ts: unknown layout '${layout}'.`]),
    ...(cacheSeconds >= 0
      ? []
      : [`Page '${name}' in app/pages.ts: cacheSeconds must be a number of seconds.`]),
    ...(maxBodyBytes >= 1 && maxBodyBytes <= MOST_BODY_BYTES
      ? []
      : [`Page '${name}' in app/pages.ts: maxBodyBytes must be from 1 to ${MOST_BODY_BYTES}.`]),
  ]);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  for (const { name, forcedTheme } of pages) {
    if (forcedTheme !== undefined && forcedTheme !== 'light' && forcedTheme !== 'dark') {
      log.warn({ page: name, forcedTheme }, 'a page can force light or dark only: the preference is used');
    }
  }
}

/** Throws a 404 response for an invalid address, or the response of a middleware that does not admit the visitor. */
export async function enterPage(
  page: Pick<Page, 'isValid' | 'middleware'>,
  args: { request: Request; context: AppLoadContext },
  named: Record<string, RouteMiddleware> = routeMiddleware,
): Promise<void> {
  const url = new URL(args.request.url);
  if (page.isValid && !page.isValid(url)) throw pageNotFound(url);
  for (const name of page.middleware ?? []) {
    const result = await named[name]?.(args);
    if (result === false) throw pageNotFound(url);
    if (result) throw result;
  }
}
