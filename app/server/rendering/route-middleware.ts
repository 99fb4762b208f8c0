/** What a page may have done by name before its data is read: see `middleware` in app/pages.ts. */
import { type AppLoadContext, redirectDocument } from '@remix-run/node';
import type { MiddlewareName } from '../../pages.ts';
import { publicContext } from '../public-context.ts';

/** A response is answered instead of the page; false answers 404. */
export type RouteMiddleware = (args: {
  request: Request;
  context: AppLoadContext;
}) => Response | false | undefined | Promise<Response | false | undefined>;

export const routeMiddleware = {
  /** Sends whoever is not signed in to do so, and then back to the page. */
  'signed-in': ({ request, context }) => {
    if (publicContext(context, request).session.state === 'signed-in') return undefined;
    const { pathname, search } = new URL(request.url);
    // The hosted login is another site: only a document can go there.
    return redirectDocument(`/auth/sign-in?${new URLSearchParams({ returnTo: pathname + search })}`);
  },
} as const satisfies Record<MiddlewareName, RouteMiddleware>;
