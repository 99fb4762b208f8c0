import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog, type Log } from '../../../../app/server/observability/log.ts';
import { createPageCache, type PageCacheOptions } from '../../../../app/server/page-cache/page-cache.ts';
import { type StepServer, serveSteps } from '../../../support/http/step-server.ts';
import { other } from '../../../support/this-site.ts';

const page = `/${other.code}`;
const servers: StepServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server with the page cache as its only step. */
async function serve(
  render: PageCacheOptions['renderAnonymously'],
  {
    domain = 'https://login.example',
    sharedCache = false,
    log = createLog('silent'),
  }: { domain?: string; sharedCache?: boolean; log?: Log } = {},
): Promise<StepServer> {
  const server = await serveSteps((appOrigin, heads) => [
    createPageCache({
      env: { appOrigin, session: { secure: true }, userPool: { domain }, sharedCache },
      heads,
      cacheablePages: new Map(['/', page].map((path) => [path, `route of ${path}`])),
      renderAnonymously: render,
      addressOf: () => '192.0.2.1',
      limitRendering: (_exchange, _visitor, renderPage) => renderPage(),
      log,
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

  describe('behind a shared cache', () => {
    const lifetime = 'max-age=3600, stale-while-revalidate=172800, stale-if-error=172800';
    const cachingOf = ({ headers }: Response) =>
      ['cache-control', 'cdn-cache-control'].map((name) => headers.get(name));

    it('states for how long that may send a page, and nothing to browsers', async () => {
      const { get } = await serve(async () => html('x'), { sharedCache: true });
      const first = await get('/');
      expect(cachingOf(first)).toEqual(['private, no-cache', lifetime]);
      const again = await get('/', { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
      expect([again.status, ...cachingOf(again)]).toEqual([304, 'private, no-cache', lifetime]);
    });

    // threat-model: T-107
    it('leaves caching and request id to a cache that names the same key, and to no other', async () => {
      const { get } = await serve(async () => html('x'), { sharedCache: true });
      const own = { cookie: 'theme=dark', 'accept-language': other.code };
      const cachingFor = async (key: string, more: Record<string, string> = {}) => {
        const response = await get('/', { headers: { ...own, 'x-page-key': key, ...more } });
        return [response.status, ...cachingOf(response), response.headers.has('x-request-id')];
      };
      expect(await cachingFor(`dark|${other.code}`)).toEqual([200, null, null, false]);
      const keyed = await get('/', { headers: { ...own, 'x-page-key': `dark|${other.code}` } });
      expect(keyed.headers.get('vary'), 'for a cache that stores pages without a lifetime').toContain(
        'X-Page-Key',
      );
      const etag = (await get('/', { headers: own })).headers.get('etag') ?? '';
      expect(await cachingFor(`dark|${other.code}`, { 'if-none-match': etag })).toEqual([
        304,
        null,
        null,
        false,
      ]);
      const wrong = [`light|${other.code}`, `system|${other.code}`, 'dark|en', 'dark|none'];
      for (const key of ['', 'dark', ...wrong, '1f2e3d', 'asset']) {
        expect(await cachingFor(key), key).toEqual([200, 'private, no-cache', lifetime, true]);
      }
    });

    it('is not stated without the setting', async () => {
      const { get } = await serve(async () => html('x'));
      const headers = { 'x-page-key': 'system|none' };
      expect(cachingOf(await get('/', { headers }))).toEqual(['private, no-cache', null]);
    });
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

  it('compresses pages again with the best setting, but none with a language offer', async () => {
    const text = Array.from({ length: 2000 }, (_, index) => `<p>${index * 7919} and ${index % 89}`).join('');
    const { get } = await serve(async () => html(text));
    const lengthOf = async (acceptLanguage: string) => {
      const headers = { 'accept-encoding': 'br', 'accept-language': acceptLanguage };
      return Number((await get(page, { headers })).headers.get('content-length'));
    };
    const offered = await lengthOf('en');
    const plain = await lengthOf(other.code);
    expect(offered).toBe(plain);
    // Pages are compressed one at a time, in the order in which they were rendered.
    await expect.poll(() => lengthOf(other.code), { timeout: 20_000 }).toBeLessThan(plain);
    expect(await lengthOf('en')).toBe(offered);
  });

  it('sends the headers of the page, a policy with the hashes of its scripts, and rules for caches', async () => {
    const { get } = await serve(async () => html('<script>one()</script>', { 'x-page': other.code }));
    const { headers } = await get(page);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-page': other.code,
      'cache-control': 'private, no-cache',
      vary: 'Accept-Encoding, Accept-Language, Cookie',
    });
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("script-src 'self' 'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4=';");
    expect(policy).not.toContain('unsafe-inline');
  });

  it('gives the same body another ETag under another policy', async () => {
    const render = async () => html('<p>page</p>');
    const etagWith = async (domain: string) => {
      const { get } = await serve(render, { domain });
      return (await get(page)).headers.get('etag');
    };
    const etag = await etagWith('https://login.example');
    expect(await etagWith('https://login.example')).toBe(etag);
    expect(await etagWith('https://other-login.example')).not.toBe(etag);
  });
});
