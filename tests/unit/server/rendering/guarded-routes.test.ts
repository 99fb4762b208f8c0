import type { ActionFunctionArgs, AppLoadContext, ServerBuild } from '@remix-run/node';
import { createRequestHandler, redirect } from '@remix-run/node';
import { describe, expect, it } from 'vitest';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import { guardRoutes } from '../../../../app/server/rendering/guarded-routes.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';
import { UpstreamError } from '../../../../packages/upstream/src/upstream-error.ts';
import { minimalBuild } from '../../../support/advisories/minimal-build.ts';
import { other } from '../../../support/this-site.ts';

const ORIGIN = 'https://site.example';
const translations = loadTranslations('public/locales');
const home = `/${other.code}`;

type Module = NonNullable<ServerBuild['routes'][string]>['module'];

type Result = { ran: string[]; lines: string[]; outcome: unknown };
type Handlers = { loader?: () => unknown; action?: () => unknown };

/** Guards a build with one route, and calls its loader or action for an anonymous or signed-in visitor. */
async function call(
  handler: 'loader' | 'action',
  {
    page = {},
    routeId = `orders___${other.code}`,
    state = 'anonymous',
    path = `${home}/orders?a=b`,
    handlers = {} as Handlers,
    isResource = false,
    signal = { aborted: false },
    method = handler === 'action' ? 'POST' : 'GET',
  },
): Promise<Result> {
  const ran: string[] = [];
  const lines: string[] = [];
  const run = (name: 'loader' | 'action') => () => {
    ran.push(name);
    return handlers[name]?.() ?? null;
  };
  const handlersOf = { loader: run('loader'), action: run('action') };
  const module = isResource ? handlersOf : { default: () => null, ...handlersOf };
  const routes: ServerBuild['routes'] = {
    [routeId]: { id: routeId, path: `${other.code}/orders`, module: module as Module },
  };
  const guarded = guardRoutes(routes, [{ name: 'orders', ...page }]);
  // The context of a request has much more, which a guard does not read.
  const context = {
    session: { state },
    env: { appOrigin: ORIGIN, userPool: { domain: 'https://login.example' } },
    log: createLog('info', { write: (line) => void lines.push(line) }),
    requestId: 'request-1',
    translations,
    signal,
    isDataRequest: path.endsWith('.data'),
  } as unknown as AppLoadContext;
  const request = new Request(ORIGIN + path, { method });
  const args: ActionFunctionArgs = { request, context, params: {} };
  const outcome = await Promise.resolve(guarded[routeId]?.module[handler]?.(args)).catch((error) => error);
  return { ran, lines, outcome };
}

const membersOnly = { page: { middleware: ['signed-in'] as const } };

describe('the rules of a page', () => {
  // threat-model: T-093
  it.each(['loader', 'action'] as const)('hold before its %s runs', async (handler) => {
    const { ran, outcome } = await call(handler, membersOnly);
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ status: 302 });
    const { headers } = outcome as Response;
    expect(headers.get('location')).toBe(`/auth/sign-in?returnTo=%2F${other.code}%2Forders%3Fa%3Db`);
    expect(headers.get('x-remix-reload-document')).toBe('true');
    expect((await call(handler, { ...membersOnly, state: 'signed-in' })).ran).toEqual([handler]);
  });

  // threat-model: T-093
  it('make an invalid address respond with 404', async () => {
    const page = { isValid: (url: URL) => !url.searchParams.has('a') };
    const { ran, outcome } = await call('action', { page });
    expect(ran).toEqual([]);
    expect(outcome).toMatchObject({ status: 404, statusText: `Page Not Found: ${home}/orders?a=b` });
    expect((await call('action', { page, path: `${home}/orders` })).ran).toEqual(['action']);
  });

  it('do not hold for routes without a page', async () => {
    expect((await call('action', { ...membersOnly, routeId: 'api/orders' })).ran).toEqual(['action']);
  });

  it('need a loader, without which nothing would run for a document', () => {
    const routes: ServerBuild['routes'] = {
      orders___en: { id: 'orders___en', path: 'orders', module: { default: () => null } },
    };
    expect(() => guardRoutes(routes, [{ name: 'orders', middleware: ['signed-in'] }])).toThrow(
      "The page 'orders' has rules, and therefore needs a loader.",
    );
    expect(() => guardRoutes(routes, [{ name: 'orders' }])).not.toThrow();
  });
});

describe('a page for a group', () => {
  const allMethods = [
    ['GET', '/en/administration'],
    ['HEAD', '/en/administration'],
    ['GET', '/en/administration.data'],
    ['POST', '/en/administration'],
    ['POST', '/en/administration.data'],
  ] as const;

  /** Sends a request to Remix for a page that the group `admins` may open. */
  async function send(method: string, path: string, session: object) {
    const ran: string[] = [];
    const build = minimalBuild(() => null);
    const loader = () => void ran.push('loader');
    const action = () => void ran.push('action');
    const page = { id: 'administration___en', path: 'en/administration', parentId: 'root' };
    const module = { default: () => null, loader: () => loader() ?? null, action: () => action() ?? null };
    const routes: ServerBuild['routes'] = { ...build.routes, [page.id]: { ...page, module } };
    build.routes = guardRoutes(routes, [{ name: 'administration', middleware: ['in-group:admins'] }]);
    build.entry.module.default = async (_request, status, headers) => new Response(null, { status, headers });
    const context = {
      session,
      env: { appOrigin: ORIGIN, userPool: { domain: 'https://login.example' } },
    } as unknown as AppLoadContext;
    const { status, headers } = await createRequestHandler(build)(
      new Request(ORIGIN + path, { method }),
      context,
    );
    return { ran, status, location: headers.get('location') };
  }
  const member = (...groups: string[]) => ({ state: 'signed-in', user: { groups } });

  // threat-model: T-116
  it.each(allMethods)('runs nothing for a visitor outside of the group: %s %s', async (method, path) => {
    for (const groups of [[], ['admin'], ['editors', 'Admins']]) {
      expect(await send(method, path, member(...groups))).toMatchObject({ ran: [], status: 403 });
    }
    expect(await send(method, path, member('editors', 'admins'))).toMatchObject({
      ran: expect.arrayContaining([method === 'POST' ? 'action' : 'loader']),
      status: 200,
    });
  });

  // threat-model: T-116
  it.each(allMethods)('leads signed-out visitors to the sign-in: %s %s', async (method, path) => {
    for (const state of ['anonymous', 'ended']) {
      const { ran, status, location } = await send(method, path, { state });
      expect(ran).toEqual([]);
      expect(status).toBe(path.endsWith('.data') ? 202 : 302);
      expect(location).toBe('/auth/sign-in?returnTo=%2Fen%2Fadministration');
    }
  });
});

describe('a redirect of a loader or an action', () => {
  const redirected = async (location: string, isThrown: boolean) => {
    const action = () => {
      if (isThrown) throw redirect(location, 303);
      return redirect(location, 303);
    };
    const { outcome, lines } = await call('action', { handlers: { action } });
    const response = outcome as Response;
    return { status: response.status, location: response.headers.get('location'), logged: lines.length };
  };

  // threat-model: T-024
  it.each([true, false])('stays on the site or leads to the hosted login (thrown: %s)', async (isThrown) => {
    const to = (location: string) => redirected(location, isThrown);
    expect(await to(`${home}?a=b#c`)).toEqual({ status: 303, location: `${home}?a=b#c`, logged: 0 });
    const logout = 'https://login.example/logout';
    expect(await to(logout)).toEqual({ status: 303, location: logout, logged: 0 });
    expect(await to('https://evil.example/')).toEqual({ status: 303, location: '/', logged: 1 });
    // It is written relative to the site.
    expect(await to(ORIGIN + home)).toEqual({ status: 303, location: home, logged: 0 });
  });

  it('to another site is logged with the first 200 characters of its address', async () => {
    const location = `https://evil.example/${'a'.repeat(500)}`;
    const { lines } = await call('action', { handlers: { action: () => redirect(location) } });
    const msg = 'redirect to another site replaced';
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', requestId: 'request-1', location: location.slice(0, 200), msg },
    ]);
  });

  it.each([
    ['a response without a location', new Response('text')],
    ['a response with a location on the site', redirect(home)],
    ['another result', { list: [] }],
  ])('passes %s on unchanged', async (_which, result) => {
    const { outcome } = await call('loader', { handlers: { loader: () => result } });
    expect(outcome).toBe(result);
  });
});

describe('a stream', () => {
  /** Calls a loader that responds with a stream. */
  async function callStream(method: string, isResource: boolean) {
    let isCanceled = false;
    const stream = new ReadableStream({
      cancel() {
        isCanceled = true;
      },
    });
    const loader = () =>
      new Response(stream, { status: 203, statusText: 'As is', headers: { 'x-own': 'a' } });
    const { outcome } = await call('loader', { method, isResource, handlers: { loader } });
    const response = outcome as Response;
    return { response, isCanceled, hasBody: response.body !== null };
  }

  it('of a resource route is canceled for HEAD, and its head is kept', async () => {
    const { response, ...state } = await callStream('HEAD', true);
    expect(state).toEqual({ isCanceled: true, hasBody: false });
    const { status, statusText, headers } = response;
    expect([status, statusText, headers.get('x-own')]).toEqual([203, 'As is', 'a']);
  });

  it.each([
    ['GET', true],
    // A page is rendered from the data of its loader.
    ['HEAD', false],
  ])('is passed on for %s (resource route: %s)', async (method, isResource) => {
    const { response: _, ...state } = await callStream(method, isResource);
    expect(state).toEqual({ isCanceled: false, hasBody: true });
  });

  it('that something else reads is left to it', async () => {
    const response = new Response('text');
    response.body?.getReader();
    const loader = () => response;
    const { outcome } = await call('loader', { method: 'HEAD', isResource: true, handlers: { loader } });
    expect((outcome as Response).body).toBeNull();
  });

  it('that does not exist is no problem for HEAD', async () => {
    const loader = () => new Response(null, { status: 204 });
    const { outcome } = await call('loader', { method: 'HEAD', isResource: true, handlers: { loader } });
    expect((outcome as Response).status).toBe(204);
  });
});

describe('an error without a body', () => {
  const bare = (status: number, body: string | null = null) => ({
    isResource: true,
    handlers: { loader: () => new Response(body, { status, headers: { allow: 'POST' } }) },
  });
  const bodyOf = async ({ outcome }: Result) => (outcome as Response).text();

  it.each([400, 405] as const)(
    'of a resource route gets the page of status %i, and keeps its headers',
    async (status) => {
      const { outcome } = await call('loader', bare(status));
      const response = outcome as Response;
      expect(response.status).toBe(status);
      expect(response.headers.get('allow')).toBe('POST');
      expect(response.headers.get('cache-control')).toBe('private, no-store');
      expect(await response.text()).toContain(translations.instance(other.code).t(`error.${status}.title`));
    },
  );

  it.each([
    ['a success', bare(204)],
    ['an error with a body', bare(404, 'Not found')],
    ['a request of client-side code', { ...bare(400), path: '/preferences.data' }],
    ['a client that has left', { ...bare(499), signal: { aborted: true } }],
    ['a page, which has an error page of its own', { ...bare(400), isResource: false }],
  ])('is passed on for %s', async (_what, options) => {
    expect(await bodyOf(await call('loader', options))).not.toContain('<h1>');
  });

  it('of a route gets JSON with a code for a program', async () => {
    const { outcome } = await call('loader', { ...bare(405), path: '/api/orders' });
    expect((await (outcome as Response).json()).code).toBe('Status405');
  });
});

describe('the failure of a call that a route does not handle', () => {
  it.each([
    ['Overloaded', { status: 503, retryAfterMs: 2500 }, 503, '3'],
    ['TimeoutError', {}, 504, null],
    ['PermissionDenied', { status: 403 }, 502, null],
  ])('%s gets a status of its own, and is logged', async (code, details, status, retryAfter) => {
    const fail = () => {
      throw new UpstreamError('data-api', code, 'private', details);
    };
    const { outcome, lines } = await call('loader', { state: 'signed-in', handlers: { loader: fail } });
    expect(outcome).toMatchObject({ status, body: null });
    expect((outcome as Response).headers.get('retry-after')).toBe(retryAfter);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ requestId: 'request-1', err: { code } }]);
  });

  it('leaves every other error as it is', async () => {
    const error = new TypeError('a fault of the site');
    const fail = () => {
      throw error;
    };
    expect((await call('loader', { state: 'signed-in', handlers: { loader: fail } })).outcome).toBe(error);
  });
});
