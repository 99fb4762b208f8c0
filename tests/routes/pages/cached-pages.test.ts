import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { localeOfPath, locales } from '../../../app/i18n/locales.ts';
import { themes } from '../../../app/theme/theme.ts';
import type { RawResponse } from '../../support/http/raw-request.ts';
import { openLocalizedPages } from '../../support/localized-pages.ts';
import { another, examplePath, hasPage, other, otherHome } from '../../support/this-site.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const stack = setUpStack();
const { get } = stack;
const head = (path: string, headers: Record<string, string> = {}) =>
  stack.send({ path, headers, method: 'HEAD' });

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
      const load = ({ path, theme }: (typeof wanted)[number], mark: string | undefined) => {
        const cookie = `locale=en; theme=${theme}; guest=${mark}; visitor=${mark}`;
        return get(path, { cookie, 'user-agent': `${mark}`, 'x-request-id': `${mark}` });
      };
      const responses: RawResponse[] = [];
      // An address may have 40 pages in progress or waiting.
      for (let start = 0; start < wanted.length; start += 40) {
        const some = wanted.slice(start, start + 40);
        responses.push(...(await Promise.all(some.map((page, index) => load(page, marks[start + index])))));
      }
      for (const [index, { status, body, headers }] of responses.entries()) {
        const { path, theme } = wanted[index] ?? { path: '', theme: '' };
        expect(status).toBe(200);
        const { iso } = localeOfPath(path);
        expect(body).toContain(`<html lang="${iso}"`);
        expect(body).toContain(`data-theme="${theme}"`);
        expect(body).toContain(`<link rel="canonical" href="${stack.site.origin}${path}"`);
        const sent = body + JSON.stringify(headers);
        expect(marks.filter((mark) => sent.includes(mark))).toEqual([]);
      }
      return responses;
    };
    const [first, second] = [await round(), await round()];
    const digests = first.map(({ body }) => digest(body));
    expect(digests).toEqual(second.map(({ body }) => digest(body)));
    expect(new Set(digests).size).toBe(wanted.length);
    const ids = [...first, ...second].map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('have a policy with the hash of the inline script and without a nonce', async () => {
    const { body, headers } = await get(examplePath(another));
    const policy = headers['content-security-policy'];
    expect(body).not.toContain('nonce=');
    expect(policy).not.toContain('nonce-');
    // Browsers do not run data.
    const isRun = /<script(?![^>]*\s(?:src=|type="application\/ld\+json"))[^>]*>([\s\S]*?)<\/script>/g;
    const [[, text = ''] = [], ...others] = [...body.matchAll(isRun)];
    expect(others).toEqual([]);
    expect(policy).toContain(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
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
      const { headers } = await head(path, { 'accept-encoding': 'br', 'accept-language': 'en-US,en' });
      expect(headers['content-encoding']).toBe('br');
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const bytes = Buffer.byteLength(lines.join('')) + Number(headers['content-length']);
      expect(bytes, path).toBeLessThan(FIRST_ROUND_TRIP);
    }
  });

  it('have no body for HEAD, and status 304 for a matching ETag', async () => {
    const { headers } = await get(otherHome);
    const withoutBody = await head(otherHome);
    expect([withoutBody.status, withoutBody.body]).toEqual([200, '']);
    expect(withoutBody.headers['content-length']).toBe(headers['content-length']);
    const again = await get(otherHome, { 'if-none-match': headers.etag ?? '' });
    expect([again.status, again.body]).toEqual([304, '']);
  });

  it('are not sent to another host', async () => {
    await get(otherHome);
    expect((await get(otherHome, { host: 'evil.example' })).status).toBe(421);
  });

  it('are logged, each with its own request id', async () => {
    const id = String((await head(otherHome)).headers['x-request-id']);
    const line = () => new RegExp(`^.*${id}.*$`, 'm').exec(stack.site.output())?.[0];
    await expect.poll(line).toBeDefined();
    expect(JSON.parse(line() ?? '')).toMatchObject({
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
      }
    }
    const { headers } = await get(path, { 'accept-language': 'en' });
    expect(headers.etag, 'is sent from the cache').toBeDefined();
  });

  it.each([
    ['the visitor has dismissed it', otherHome, { cookie: 'language-offer=dismissed' }],
    ['there is no page', `${otherHome}/nowhere`, {}],
  ])('is not made if %s', async (_why, path, headers) => {
    for (const target of [path, `${path}?rendered`]) {
      expect(await offerFor(target, { 'accept-language': 'en', ...headers })).toBeNull();
    }
  });
});

it.each(['session=x', ...(hasPage('test-message') ? ['outcome=x'] : [])])(
  'pages are not cached for requests with the cookie %s',
  async (cookie) => {
    const { status, headers } = await get(examplePath(other), { cookie });
    expect([status, headers.etag]).toEqual([200, undefined]);
    expect(headers['cache-control']).toBe('private, no-store');
  },
);

it('a first visit to / shows English to a browser that prefers it, and leads others to their language', async () => {
  const english = await get('/', { 'accept-language': `${other.code};q=0.4, en;q=0.5` });
  expect(english.status).toBe(200);
  expect(english.body).toContain('<html lang="en-US"');
  expect(english.headers['set-cookie']).toEqual(['locale=en; Max-Age=31536000; Path=/; SameSite=Lax']);
  const { status, headers } = await get('/', { 'accept-language': `${other.code}-ZZ, en;q=0.8` });
  expect([status, headers.location]).toEqual([302, otherHome]);
});

it('files of the build are sent with the negotiated coding and are immutable', async () => {
  const path = /\/assets\/root-[\w-]+\.css/.exec((await get(otherHome)).body)?.[0] ?? '';
  const fetchAs = (coding: string) =>
    fetch(stack.site.origin + path, { headers: { 'accept-encoding': coding } });
  const plain = await fetchAs('identity');
  expect(plain.headers.get('content-encoding')).toBeNull();
  const text = await plain.text();
  for (const coding of ['br', 'gzip']) {
    const response = await fetchAs(coding);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-encoding': coding,
      'content-type': 'text/css; charset=utf-8',
      vary: 'Accept-Encoding',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(Number(response.headers.get('content-length'))).toBeLessThan(text.length / 2);
    expect(await response.text()).toBe(text);
  }
});
