/** The middleware that pages name in app/pages.ts. It runs on the server before the page's data is read. */
import type { AppLoadContext } from '@remix-run/node';
import type { MiddlewareName } from '../../pages.ts';
import { redirectToSignIn } from './require-session.ts';

/** A returned response is sent instead of the page; false means 404. */
export type RouteMiddleware = (args: {
  request: Request;
  context: AppLoadContext;
}) => Response | false | undefined | Promise<Response | false | undefined>;

export const routeMiddleware = {
  /** Redirects visitors without a session to sign in, and then back to the page. */
  'signed-in': ({ request, context }) => {
    if (context.session.state === 'signed-in') return undefined;
    const { pathname, search } = new URL(request.url);
    return redirectToSignIn(pathname + search);
  },
} as const satisfies Record<MiddlewareName, RouteMiddleware>;
