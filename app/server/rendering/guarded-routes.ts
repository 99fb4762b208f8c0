/** What holds for every loader and action of the site, whichever server runs them. */
import type { ActionFunctionArgs, LoaderFunctionArgs, ServerBuild } from '@remix-run/node';
import { siteLocation } from '@tenfold/cognito-session';
import {
  describeUpstreamFailure,
  isUpstreamError,
  logUpstreamFailure,
  type UpstreamError,
} from '@tenfold/upstream';
import { locales } from '../../i18n/locales.ts';
import { routeIdOf } from '../../i18n/localized-page.ts';
import { type Page, pages as sitePages } from '../../pages.ts';
import { rejectionResponse } from '../errors/error-response.ts';
import { enterPage } from './page-rules.ts';

type Routes = ServerBuild['routes'];
type Route = NonNullable<Routes[string]>;
type GuardedPage = Pick<Page, 'isValid' | 'middleware'> & { name: string };
type HandlerArgs = LoaderFunctionArgs | ActionFunctionArgs;
/** A loader or an action. Remix's types differ only in the result, which is passed on unchanged: hence the casts below. */
type Handler = (args: HandlerArgs) => unknown;

/**
 * Returns the routes with the rules of their pages, which are checked before any loader or action of a page runs, for
 * documents, data requests, forms and fetches alike. A redirect to another place than the site and the hosted login is
 * logged, and leads to `/` instead. An error of a resource route without a body gets the page of its status. The body of
 * its response to HEAD is canceled. The failure of a call that a route does not handle gets its own status. Throws for a page with rules but without a loader: nothing would run for its documents.
 */
export function guardRoutes(routes: Routes, pages: readonly GuardedPage[] = sitePages): Routes {
  const pagesByRoute = new Map(
    pages.flatMap((page) => locales.map((locale) => [routeIdOf(page, locale), page] as const)),
  );
  return Object.fromEntries(
    Object.entries(routes).map(([id, route]) => [id, route && guardRoute(route, pagesByRoute.get(id))]),
  );
}

function guardRoute(route: Route, page: GuardedPage | undefined): Route {
  const { loader, action } = route.module;
  const isResource = !('default' in route.module);
  if (page && !loader && (page.isValid || page.middleware)) {
    throw new Error(`The page '${page.name}' has rules, and therefore needs a loader.`);
  }
  return {
    ...route,
    module: {
      ...route.module,
      ...(loader ? { loader: guard(loader as Handler, page, isResource) } : {}),
      ...(action ? { action: guard(action as Handler, page, isResource) } : {}),
    },
  };
}

function guard(
  handle: Handler,
  page: GuardedPage | undefined,
  isResource: boolean,
): (args: HandlerArgs) => Promise<unknown> {
  const complete = (response: Response, args: HandlerArgs) => {
    if (isResource && isBareError(response, args)) return withPage(response, args);
    const completed = withSiteLocation(response, args);
    return isResource && args.request.method === 'HEAD' ? withoutBody(completed) : completed;
  };
  return async (args) => {
    try {
      if (page) await enterPage(page, args);
      const result = await handle(args);
      return result instanceof Response ? complete(result, args) : result;
    } catch (error) {
      if (error instanceof Response) throw complete(error, args);
      throw isUpstreamError(error) ? complete(failedCall(error, args), args) : error;
    }
  };
}

/** The response of a route that does not handle the failure of a call. Its page says whether to try again. */
function failedCall(error: UpstreamError, { context: { log, requestId } }: HandlerArgs): Response {
  logUpstreamFailure(log, error, 'a call of a route failed', { requestId });
  const { status, headers = {} } = describeUpstreamFailure(error);
  return new Response(null, { status, headers });
}

/** Whether a browser would show an error page of its own. Client-side code reads only the status. */
function isBareError({ status, body }: Response, { context }: HandlerArgs): boolean {
  return status >= 400 && body === null && !context.isDataRequest && !context.signal.aborted;
}

function withPage({ status, headers }: Response, { request, context }: HandlerArgs): Response {
  const rejection = { status, code: `Status${status}`, headers: Object.fromEntries(headers) };
  return rejectionResponse(rejection, request, context);
}

/** Remix drops the body of a response to HEAD without canceling it: the source of a stream would go on without a reader. */
function withoutBody({ status, statusText, headers, body }: Response): Response {
  body?.cancel().catch(() => {});
  return new Response(null, { status, statusText, headers });
}

/** Remix writes the target of a redirect into the body for client-side navigation, so it is checked before. */
function withSiteLocation(response: Response, { context }: HandlerArgs): Response {
  const location = response.headers.get('location');
  if (location === null) return response;
  const allowed = siteLocation(location, context.env);
  if (allowed === location) return response;
  if (allowed === null) {
    const { log, requestId } = context;
    log.warn({ requestId, location: location.slice(0, 200) }, 'redirect to another site replaced');
  }
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.set('location', allowed ?? '/');
  return new Response(response.body, { status, statusText, headers });
}
