import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localeOfPath, locales, localizePath } from '../../../app/i18n/locales.ts';
import { themes } from '../../../app/theme/theme.ts';
import { sendRaw } from '../../support/http/raw-request.ts';
import { openLocalizedPages } from '../../support/localized-pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { another, examplePath, hasPage, other, otherHome } from '../../support/this-site.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  sendRaw(stack.site.origin, { path, headers, method });

const paths = openLocalizedPages.map(({ path }) => path);
/** Bytes that a server may send before the first acknowledgment: ten segments of 1,460 bytes (RFC 6928). */
const FIRST_ROUND_TRIP = 14_600;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

describe('pages of visitors without a session', () => {
  // threat-model: T-014
  it('have the same body for all visitors with the same address and theme, and no data of a visitor', async () => {
    const wanted = paths.flatMap((path) => themes.map((theme) => ({ path, theme })));
    const round = async () => {
      const marks = wanted.map(() => randomUUID());
      const responses = await Promise.all(
        wanted.map(({ path, theme }, index) => {
          const cookie = `locale=en; theme=${theme}; guest=${marks[index]}; visitor=${marks[index]}`;
          return get(path, { cookie, 'user-agent': `${marks[index]}`, 'x-request-id': `${marks[index]}` });
        }),
      );
      for (const [index, { status, body, headers }] of responses.entries()) {
        const { path, theme } = wanted[index] ?? { path: '', theme: '' };
        expect(status).toBe(200);
        const { iso } = localeOfPath(path);
        expect(body).toContain(`<html lang="${iso}"`);
        expect(body).toContain(`data-theme="${theme}"`);
        expect(body).toContain(`<link rel="canonical" href="${stack.site.origin}${path}"/>`);
        expect(marks.filter((mark) => body.includes(mark) || JSON.stringify(headers).includes(mark))).toEqual(
          [],
        );
      }
      return responses;
    };
    const [first, second] = [await round(), await round()];
    expect(first.map(({ body }) => digest(body))).toEqual(second.map(({ body }) => digest(body)));
    expect(new Set(first.map(({ body }) => digest(body))).size).toBe(wanted.length);
    const ids = [...first, ...second].map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(ids.length);
  }, 60_000);

  it('have a policy with the hash of each inline script and without a nonce', async () => {
    const { body, headers } = await get(examplePath(another));
    const policy = headers['content-security-policy'];
    expect(body).not.toContain('nonce=');
    expect(policy).not.toContain('nonce-');
    const inline = [...body.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
    expect(inline).not.toHaveLength(0);
    for (const [, text = ''] of inline) {
      expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
    }
  });

  it('have the same headers as rendered documents, and are not stored by shared caches', async () => {
    const [cached, rendered] = [await get(otherHome), await get(`${otherHome}?rendered`)];
    const own = ['etag', 'vary', 'content-length', 'transfer-encoding', 'cache-control'];
    const names = (response: typeof cached) =>
      Object.keys(response.headers).filter((name) => !own.includes(name));
    expect(names(cached).toSorted()).toEqual(names(rendered).toSorted());
    expect(cached.headers['cache-control']).toBe('private, no-cache');
    expect(cached.headers.vary).toBe('Accept-Encoding, Accept-Language, Cookie');
    expect(rendered.headers['cache-control']).toBe('private, no-store');
    expect(rendered.headers.vary).toBe('Accept-Language, Cookie, Accept-Encoding');
  });

  it('fit into the first round trip of a connection, also with the language offer', async () => {
    for (const path of paths) {
      const { headers } = await get(path, { 'accept-encoding': 'br', 'accept-language': 'en-US,en' }, 'HEAD');
      expect(headers['content-encoding']).toBe('br');
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const bytes = Buffer.byteLength(head.join('')) + Number(headers['content-length']);
      expect(bytes, path).toBeLessThan(FIRST_ROUND_TRIP);
    }
  });

  it('have no body for HEAD, and status 304 for a matching ETag', async () => {
    const whole = await get(otherHome);
    const head = await get(otherHome, {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    const again = await get(otherHome, { 'if-none-match': whole.headers.etag ?? '' });
    expect(again.status).toBe(304);
    expect(again.body).toBe('');
    const dark = await get(otherHome, { 'if-none-match': whole.headers.etag ?? '', cookie: 'theme=dark' });
    expect(dark.status).toBe(200);
  });

  it('are not sent to another host, with a query or for another method', async () => {
    await get(otherHome);
    expect((await get(otherHome, { host: 'evil.example' })).status).toBe(421);
    expect((await get(otherHome, {}, 'TRACE')).status).toBe(405);
    expect((await get(`${otherHome}?_data=root`)).status).toBe(400);
    expect((await get(`${otherHome}?a=b`)).headers.etag).toBeUndefined();
  });

  it('are logged, each with its own request id', async () => {
    const { headers } = await get(otherHome, {}, 'HEAD');
    const id = String(headers['x-request-id']);
    await expect.poll(() => stack.site.output()).toContain(id);
    const line = stack.site
      .output()
      .split('\n')
      .find((each) => each.includes(id));
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'info',
      msg: 'request',
      method: 'HEAD',
      path: otherHome,
      route: `index___${other.code}`,
      status: 200,
    });
  });
});

describe('the offer to read a page in another language', () => {
  const offerIn = (body: string) => /<aside [^>]*lang="([\w-]+)" dir="(\w+)"/.exec(body)?.slice(1) ?? null;
  const offerFor = async (path: string, headers: Record<string, string>) =>
    offerIn((await get(path, headers)).body);

  it('is made in the language that the visitor prefers, from the cache and on rendered pages', async () => {
    const path = examplePath(other);
    for (const { code, iso, dir } of locales.filter((locale) => locale !== other)) {
      for (const target of [path, `${path}?rendered`]) {
        const preferred = { 'accept-language': `${code}-ZZ, ${other.code};q=0.7` };
        expect(await offerFor(target, preferred)).toEqual([iso, dir]);
        const chosen = { cookie: `locale=${code}`, 'accept-language': other.code };
        expect(await offerFor(target, chosen)).toEqual([iso, dir]);
      }
    }
    const { body, headers } = await get(path, { 'accept-language': 'en' });
    expect(headers.etag, 'is sent from the cache').toBeDefined();
    expect(body).toContain(`<html lang="${other.iso}"`);
  });

  it.each<[string, string, Record<string, string>]>([
    ['the page is in the preferred language', otherHome, { 'accept-language': `${other.code}-AT, en;q=0.7` }],
    [
      'the visitor has dismissed it',
      otherHome,
      { 'accept-language': 'en', cookie: 'language-offer=dismissed' },
    ],
    ['there is no Accept-Language, as from crawlers', otherHome, {}],
    ['there is no page', `${otherHome}/nowhere`, { 'accept-language': 'en' }],
  ])('is not made if %s', async (_why, path, headers) => {
    for (const target of [path, `${path}?rendered`]) expect(await offerFor(target, headers)).toBeNull();
  });

  it('differs in the ETag, so that a dismissed offer does not come back from the browser’s cache', async () => {
    const offered = await get(otherHome, { 'accept-language': 'en' });
    const etag = offered.headers.etag ?? '';
    const dismissed = { cookie: 'language-offer=dismissed', 'if-none-match': etag, 'accept-language': 'en' };
    expect((await get(otherHome, dismissed)).status).toBe(200);
    expect((await get(otherHome, { 'accept-language': 'en', 'if-none-match': etag })).status).toBe(304);
  });
});

describe('pages that are not cached', () => {
  it.each(['session=x', 'session.1=x', 'notice=refused', ...(hasPage('test-message') ? ['outcome=x'] : [])])(
    'are those of requests with the cookie %s',
    async (cookie) => {
      const { status, headers } = await get(examplePath(other), { cookie });
      expect(status).toBe(200);
      expect(headers.etag).toBeUndefined();
      expect(headers['cache-control']).toBe('private, no-store');
    },
  );

  it('are those that a script fetches', async () => {
    expect((await get(otherHome, { 'sec-fetch-dest': 'empty' })).headers.etag).toBeUndefined();
  });
});

describe('a first visit to /', () => {
  it('shows English to a browser that prefers it and stores the language', async () => {
    const { status, headers, body } = await get('/', { 'accept-language': `${other.code};q=0.4, en;q=0.5` });
    expect(status).toBe(200);
    expect(body).toContain('<html lang="en-US"');
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^locale=en; Max-Age=31536000; Path=\//)]);
    expect(headers.vary).toContain('Accept-Language');
  });

  it('redirects to the stored language, or to the one that the browser prefers', async () => {
    const preferred = await get('/', { 'accept-language': `${other.code}-ZZ, en;q=0.8` });
    expect([preferred.status, preferred.headers.location]).toEqual([302, otherHome]);
    const stored = await get('/', { cookie: `locale=${another.code}`, 'accept-language': 'en' });
    expect([stored.status, stored.headers.location]).toEqual([302, localizePath('/', another)]);
    const english = await get('/', { cookie: 'locale=en', 'accept-language': other.code });
    expect([english.status, english.headers['set-cookie']]).toEqual([200, undefined]);
  });
});

describe('files of the build', () => {
  const asset = async () => /\/assets\/root-[\w-]+\.css/.exec((await get(otherHome)).body)?.[0] ?? '';
  const fetchRaw = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(stack.site.origin + path, { headers });
    return { headers: response.headers, text: await response.text() };
  };

  it('are sent with the negotiated coding and are immutable', async () => {
    const path = await asset();
    const plain = await fetchRaw(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    for (const coding of ['br', 'gzip']) {
      const { headers, text } = await fetchRaw(path, { 'accept-encoding': coding });
      expect(headers.get('content-encoding')).toBe(coding);
      expect(headers.get('content-type')).toBe('text/css; charset=utf-8');
      expect(headers.get('vary')).toBe('Accept-Encoding');
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(Number(headers.get('content-length'))).toBeLessThan(plain.text.length / 2);
      expect(text).toBe(plain.text);
    }
  });
});
