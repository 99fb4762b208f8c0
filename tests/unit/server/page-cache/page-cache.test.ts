import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../../app/server/observability/log.ts';
import {
  createPageCache,
  type PageAnswer,
  type PageCacheOptions,
} from '../../../../app/server/page-cache/page-cache.ts';
import { anonymousPage, createAnonymousVisits } from '../../../../app/server/page-cache/page-cache-key.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server with nothing but the cache in front of an application that answers 404 `application`. */
async function serve(render: PageCacheOptions['render']) {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const answers: PageAnswer[] = [];
  const pages = createPageCache({
    visitOf: createAnonymousVisits(
      { appOrigin: origin, session: { secure: true } },
      new Map(['/', '/fr'].map((path) => [path, anonymousPage('page', path)])),
    ),
    render,
    headers: { 'x-base': 'yes' },
    policy: (scripts) => `script-src ${scripts.join(' ')}`,
    firstVisitCookie: 'locale=en',
    onAnswer: (answer) => answers.push(answer),
    log: createLog('silent'),
  });
  server.on('request', (request, response) =>
    pages(request, response, () => response.writeHead(404).end('application')),
  );
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { get: (path: string, init?: RequestInit) => fetch(origin + path, init), answers };
}

const html = (text: string, headers: Record<string, string> = {}, status = 200) =>
  new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });

describe('a page from memory', () => {
  it('is rendered once however many ask at once, and once more for each theme', async () => {
    const rendered: string[] = [];
    const { get } = await serve(async (path, theme) => {
      rendered.push(`${theme} ${path}`);
      return html(`${path} in ${theme}`);
    });
    const themes = ['dark', 'light', 'system'];
    const texts = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const theme = themes[index % 3];
        return (await get('/fr', { headers: { cookie: `theme=${theme}` } })).text();
      }),
    );
    expect(texts).toEqual(Array.from({ length: 60 }, (_, index) => `/fr in ${themes[index % 3]}`));
    expect(rendered.toSorted()).toEqual(['dark /fr', 'light /fr', 'system /fr']);
  });

  it('goes to the application when it fails, and is tried again', async () => {
    let attempts = 0;
    const { get } = await serve(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('not now');
      return attempts === 2 ? html('sorry', {}, 500) : html('here');
    });
    expect((await get('/fr')).status).toBe(404);
    expect((await get('/fr')).status).toBe(404);
    expect(await (await get('/fr')).text()).toBe('here');
  });

  it.each([
    ['sets a cookie', html('x', { 'set-cookie': 'a=b' })],
    ['says how it is cached', html('x', { 'cache-control': 'no-store' })],
    ['is not found', html('x', {}, 404)],
    ['leads elsewhere', new Response(null, { status: 302, headers: { location: '/fr' } })],
  ])('is never made of what %s', async (_what, response) => {
    let attempts = 0;
    const { get, answers } = await serve(async () => {
      attempts += 1;
      return response;
    });
    for (const _again of [1, 2]) expect(await (await get('/')).text()).toBe('application');
    expect(attempts).toBe(1);
    expect(answers).toEqual([]);
  });

  it('is named by its policy and text, and told again only to who does not have it', async () => {
    const { get, answers } = await serve(async (path) => html(`<script>one(${path.length})</script>`));
    const first = await get('/fr');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    const ask = async (tag: string) => (await get('/fr', { headers: { 'if-none-match': tag } })).status;
    expect(await ask(etag)).toBe(304);
    expect(await ask(`"other", ${etag.slice(2)}`)).toBe(304);
    expect(await ask('*')).toBe(304);
    expect(await ask('"other"')).toBe(200);
    const other = await get('/', { headers: { 'if-none-match': etag } });
    expect(other.status).toBe(200);
    expect(other.headers.get('etag')).not.toBe(etag);
    expect(answers.map(({ status }) => status)).toEqual([200, 304, 304, 304, 200, 200]);
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(6);
  });
});
