/** The middleware that pages name in app/pages.ts. It runs on the server before the page's data is read. */
import type { AppLoadContext } from '@remix-run/node';
import { type GroupName, type MiddlewareName, NOT_IN_GROUP } from '../../pages.ts';
import { redirectToSignIn } from './require-session.ts';

type PageRequest = { request: Request; context: AppLoadContext };

/** A returned response is sent instead of the page; false means 404. */
export type RouteMiddleware = (
  page: PageRequest,
) => Response | false | undefined | Promise<Response | false | undefined>;

export const routeMiddleware = {
  'signed-in': requireSignIn,
  'in-group:admins': requireGroup('admins'),
} as const satisfies Record<MiddlewareName, RouteMiddleware>;

/** Redirects visitors without a session to sign in, and then back to the page. */
function requireSignIn({ request, context }: PageRequest): Response | undefined {
  if (context.session.state === 'signed-in') return undefined;
  const { pathname, search } = new URL(request.url);
  return redirectToSignIn(pathname + search);
}

/**
 * Returns the middleware for a group. Signed-in visitors who are not in it get 403. A 404 would hide nothing, because the
 * site's client-side code names every page, and would not tell a visitor who was just added what to do.
 */
function requireGroup(group: GroupName): RouteMiddleware {
  return (page) => {
    const { session } = page.context;
    if (session.state !== 'signed-in') return requireSignIn(page);
    return session.user.groups.includes(group)
      ? undefined
      : new Response(null, { status: 403, statusText: NOT_IN_GROUP });
  };
}
