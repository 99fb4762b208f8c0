/** The rules that pages state in app/pages.ts: checked once at start, kept whenever a page is entered. */
import type { AppLoadContext } from '@remix-run/node';

import { layoutNames, type Page } from '../../pages.ts';
import type { Log } from '../observability/log.ts';
import { type RouteMiddleware, routeMiddleware } from './route-middleware.ts';

/** What a page asks for by name, as it may stand in a registry that no compiler has seen. */
type NamedRules = {
  name: string;
  layout?: string | undefined;
  forcedTheme?: string | undefined;
  middleware?: readonly string[] | undefined;
};

/** Throws when a page names a route middleware or a layout that does not exist; a theme that cannot be forced is logged. */
export function checkPages(pages: readonly NamedRules[], log: Pick<Log, 'warn'>): void {
  const problems = pages.flatMap(({ layout, middleware = [] }) => [
    ...middleware
      .filter((name) => !Object.hasOwn(routeMiddleware, name))
      .map((name) => `Unknown route middleware: '${name}'.`),
    ...(layout === undefined || layoutNames.some((name) => name === layout)
      ? []
      : [`Unknown layout: '${layout}'.`]),
  ]);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  for (const { name, forcedTheme } of pages) {
    if (forcedTheme !== undefined && forcedTheme !== 'light' && forcedTheme !== 'dark') {
      log.warn({ page: name, forcedTheme }, 'a page can force light or dark only: the preference is used');
    }
  }
}

/** Throws the 404 of an invalid address, or whatever a middleware of the page answers in its place. */
export async function enterPage(
  page: Pick<Page, 'isValid' | 'middleware'>,
  args: { request: Request; context: AppLoadContext },
  named: Record<string, RouteMiddleware> = routeMiddleware,
): Promise<void> {
  const url = new URL(args.request.url);
  if (page.isValid && !page.isValid(url)) throw pageNotFound(url);
  for (const name of page.middleware ?? []) {
    const answer = await named[name]?.(args);
    if (answer === false) throw pageNotFound(url);
    if (answer) throw answer;
  }
}

function pageNotFound({ pathname, search }: URL): Response {
  return new Response(null, { status: 404, statusText: `Page Not Found: ${pathname}${search}` });
}
