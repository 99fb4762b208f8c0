/** The routes under `/auth`, called as Remix calls them, without a server. */
import type { AppLoadContext } from '@remix-run/node';
import * as callback from '../../../app/resources/auth.callback.ts';
import * as signIn from '../../../app/resources/auth.sign-in.ts';
import * as signOut from '../../../app/resources/auth.sign-out.ts';
import * as signUp from '../../../app/resources/auth.sign-up.ts';
import type { Env } from '../../../app/server/config/env.ts';
import { createServices } from '../../../app/server/request-context.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';
import type { Clock } from '../../../packages/upstream/src/clock.ts';
import { openContext, respond } from '../http/resource-context.ts';
import { assertNoSecret } from '../secrets/secret-detection.ts';
import type { CookieStore } from './cookie-store.ts';

const routes: Record<string, typeof callback | typeof signOut> = {
  '/auth/sign-in': signIn,
  '/auth/sign-up': signUp,
  '/auth/callback': callback,
  '/auth/sign-out': signOut,
};

export type AuthResponse = {
  status: number;
  /** The absolute target of a redirect, or null. */
  location: URL | null;
  headers: Headers;
  body: string;
  setCookies: string[];
  context: AppLoadContext;
};

export type AuthRoutes = {
  /** Requests a path with the cookies of the browser. A path outside `/auth` only opens the session. */
  visit(browser: CookieStore, path: string | URL, init?: RequestInit): Promise<AuthResponse>;
  /** Everything logged so far, with one JSON object per line. */
  log(): string;
};

/** Creates the services for `env` and calls the routes with them. Rejects responses that contain a secret. */
export function createAuthRoutes(env: Env, clock?: Clock): AuthRoutes {
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const services = createServices(env, log, {
    buildId: 'test',
    publicDirectory: 'public',
    ...(clock ? { clock } : {}),
  });

  return {
    log: () => lines.join(''),
    async visit(browser, path, init = {}) {
      const url = new URL(path, env.appOrigin);
      const headers = new Headers(init.headers);
      const cookie = browser.header();
      if (cookie) headers.set('cookie', cookie);
      const request = new Request(url, { ...init, headers });
      const context = await openContext(services, request);
      const route = routes[url.pathname];
      const isRead = ['GET', 'HEAD'].includes(request.method);
      const handler = isRead ? route?.loader : route?.action;
      const response = handler
        ? await respond(() => handler({ request, context, params: {} }))
        : new Response();
      browser.receive(context.cookies);
      const location = response.headers.get('location');
      const body = await response.text();
      const setCookies = context.cookies.lines();
      const sentHeaders = { ...Object.fromEntries(response.headers), 'set-cookie': setCookies.join('\n') };
      assertNoSecret(url.pathname, { headers: sentHeaders, body });
      return {
        status: response.status,
        location: location === null ? null : new URL(location, url),
        headers: response.headers,
        body,
        setCookies,
        context,
      };
    },
  };
}
