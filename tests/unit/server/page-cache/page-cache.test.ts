import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createPageCache, type PageCacheOptions } from '../../../../app/server/page-cache/page-cache.ts';
import { createLog, type Log } from '../../../../packages/site-server/src/log/log.ts';
import { type StepServer, serveSteps } from '../../../support/http/step-server.ts';
import { other } from '../../../support/this-site.ts';

const page = `/${other.code}`;
const servers: StepServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function pageAt(path: string, seconds: number) {
  const isOneOfMany = path.startsWith('/items/');
  if (path !== '/' && path !== page && !isOneOfMany) return undefined;
  return { routeId: `route of ${path}`, seconds, isOneOfMany };
}

/** A server with the page cache as its only step. It has pages below `/items/` for any parameter. */
async function serve(
  render: PageCacheOptions['renderAnonymously'],
  {
    log = createLog('silent'),
    seconds = Number.POSITIVE_INFINITY,
    ...limits
  }: { log?: Log; maxBytes?: number; seconds?: number } = {},
): Promise<StepServer> {
  const server = await serveSteps(() => [
    createPageCache({
      env: { session: { secure: true } },
      cacheablePages: { get: (path) => pageAt(path, seconds) },
      renderAnonymously: render,
      addressOf: () => '192.0.2.1',
      limitRendering: (_exchange, _visitor, renderPage) => renderPage(),
      log,
      ...limits,
    }),
  ]);
  servers.push(server);
  return server;
}

const html = (text: string, headers: Record<string, string> = {}, status = 200) =>
  new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });

describe('the page cache', () => {
  it('renders a page once for parallel requests, and once for each theme', async () => {
    const rendered: string[] = [];
    const { get } = await serve(async ({ path, theme }) => {
      rendered.push(`${theme} ${path}`);
      // The other requests arrive meanwhile.
      await delay(100);
      return html(`${path} in ${theme}`);
    });
    const themes = ['dark', 'light', 'system'];
    const asked = themes.flatMap((theme) => Array<string>(20).fill(theme));
    const texts = await Promise.all(
      asked.map(async (theme) => (await get(page, { headers: { cookie: `theme=${theme}` } })).text()),
    );
    expect(texts).toEqual(asked.map((theme) => `${page} in ${theme}`));
    expect(rendered.toSorted()).toEqual(themes.map((theme) => `${theme} ${page}`));
  });

  it('renders a page once for each language that it is offered in', async () => {
    const rendered: (string | null)[] = [];
    const { get } = await serve(async ({ path, offer }) => {
      rendered.push(offer);
      return html(`${path} offered in ${offer}`);
    });
    const textFor = async (acceptLanguage: string) =>
      (await get(page, { headers: { 'accept-language': acceptLanguage } })).text();
    for (const _again of [1, 2]) {
      expect(await textFor('en')).toBe(`${page} offered in en`);
      expect(await textFor(`en-GB, ${other.code};q=0.5`)).toBe(`${page} offered in en`);
      expect(await textFor(other.code)).toBe(`${page} offered in null`);
      expect(await textFor('*')).toBe(`${page} offered in null`);
    }
    expect(rendered).toEqual(['en', null]);
  });

  it('leaves a request that has no cache key to the next step, without rendering', async () => {
    const rendered: string[] = [];
    const { get } = await serve(async ({ path }) => {
      rendered.push(path);
      return html(path);
    });
    for (const path of ['/de', `${page}?x`, '/assets/x.js']) {
      expect(await (await get(path)).text(), path).toBe('no step');
    }
    expect(await (await get(page, { headers: { cookie: '__Host-session=x' } })).text()).toBe('no step');
    expect(rendered).toEqual([]);
  });

  it('leaves a request to the next step when rendering fails, and tries again at the next request', async () => {
    let attempts = 0;
    const logged: string[] = [];
    const log = createLog('info', { write: (line) => void logged.push(line) });
    const { get, lines } = await serve(
      async () => {
        attempts += 1;
        if (attempts === 1) throw new Error('not now');
        return attempts === 2 ? html('sorry', {}, 500) : html('here');
      },
      { log },
    );
    expect((await get(page)).status).toBe(404);
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'error',
        msg: 'anonymous page not rendered',
        path: page,
        err: expect.objectContaining({ message: 'not now' }),
      }),
    ]);
    expect((await get(page)).status).toBe(404);
    expect(await (await get(page)).text()).toBe('here');
    expect(logged).toHaveLength(1);
    expect(lines().map(({ route }) => route)).toEqual([null, null, `route of ${page}`]);
  });

  it.each([
    ['sets a cookie', html('x', { 'set-cookie': 'a=b' })],
    ['states its own caching', html('x', { 'cache-control': 'no-store' })],
    ['is a 404', html('x', {}, 404)],
  ])('never caches a response that %s', async (_what, response) => {
    let attempts = 0;
    const { get, lines } = await serve(async () => {
      attempts += 1;
      return response;
    });
    for (const _again of [1, 2]) expect(await (await get('/')).text()).toBe('no step');
    expect(attempts).toBe(1);
    expect(lines().map(({ route }) => route)).toEqual([null, null]);
  });

  // threat-model: T-039
  it('keeps the pages that were requested last when there are too many', async () => {
    const rendered: string[] = [];
    const render = async ({ path, theme }: { path: string; theme: string }) => {
      rendered.push(`${path} ${theme}`);
      return html('x'.repeat(1000));
    };
    const { get } = await serve(render, { maxBytes: 2500 });
    const view = (path: string, theme: string) => get(path, { headers: { cookie: `theme=${theme}` } });
    for (const theme of ['dark', 'light', 'dark', 'system', 'dark', 'light']) await view('/', theme);
    expect(rendered).toEqual(['/ dark', '/ light', '/ system', '/ light']);
  });

  // threat-model: T-039
  it('keeps plain pages, however many pages with parameters there are', async () => {
    const rendered: string[] = [];
    const render = async ({ path }: { path: string }) => {
      rendered.push(path);
      return html('x'.repeat(1000));
    };
    const { get } = await serve(render, { maxBytes: 2500 });
    const visited = ['/', '/items/1', '/items/2', '/items/3', '/items/3', '/items/1', '/'];
    for (const path of visited) await get(path);
    expect(rendered).toEqual(['/', '/items/1', '/items/2', '/items/3', '/items/1']);
  });

  // threat-model: T-039
  it('keeps nothing for a path with a parameter that has no page', async () => {
    const statuses = [404, 200];
    const { get } = await serve(async () => html('item', {}, statuses.shift()));
    const bodies = [];
    for (const _again of [1, 2, 3]) bodies.push(await (await get('/items/7')).text());
    expect(bodies).toEqual(['no step', 'item', 'item']);
  });

  it('keeps a page for as long as it says', async () => {
    let rendered = 0;
    const render = async () => {
      rendered += 1;
      return html(`${rendered}`);
    };
    const { get } = await serve(render, { seconds: 2 });
    const read = async () => (await get('/items/7')).text();
    expect([await read(), await read()]).toEqual(['1', '1']);
    await expect.poll(read).toBe('2');
  });

  it('responds 304 to a conditional request with the page’s ETag, which covers the body', async () => {
    const { get, lines } = await serve(async ({ path }) => html(`<script>one(${path.length})</script>`));
    const first = await get(page);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const { status, headers } = await get(page, { headers: { 'if-none-match': etag } });
    expect(status).toBe(304);
    for (const name of ['etag', 'cache-control', 'vary', 'content-security-policy', 'x-frame-options']) {
      expect(headers.get(name), name).toBe(first.headers.get(name));
    }
    expect([headers.get('content-type'), headers.get('content-length')]).toEqual([null, null]);
    const changed = await get('/', { headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
    expect(lines().map(({ status }) => status)).toEqual([200, 304, 200]);
    expect(new Set(lines().map(({ requestId }) => requestId)).size).toBe(3);
  });

  it('sends the smallest content coding that the browser accepts', async () => {
    const { get } = await serve(async () => html('<p>page</p>'.repeat(100)));
    for (const [accepted, coding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const { headers } = await get(page, { headers: { 'accept-encoding': accepted } });
      expect(headers.get('content-encoding')).toBe(coding);
    }
  });

  it('sends the headers of the page, its policy included, and rules for caches', async () => {
    const policy = "script-src 'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4='";
    const { get } = await serve(async () => html('', { 'content-security-policy': policy }));
    const { headers } = await get(page);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'private, no-cache',
      vary: 'Accept-Encoding, Accept-Language, Cookie',
    });
  });

  it('gives the same body another ETag under another policy', async () => {
    const etagWith = async (policy: string) => {
      const { get } = await serve(async () => html('<p>page</p>', { 'content-security-policy': policy }));
      return (await get(page)).headers.get('etag');
    };
    const etag = await etagWith("script-src 'self'");
    expect(await etagWith("script-src 'self'")).toBe(etag);
    expect(await etagWith("script-src 'none'")).not.toBe(etag);
  });
});
