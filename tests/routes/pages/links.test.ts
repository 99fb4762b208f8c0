import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locales, localizePath } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';

type Answer = { status: number; type: string; body: string };
type Link = { from: string; to: string; hash: string };

/** Addresses that lead to the hosted login. They differ by where they come back to, and one of each is enough. */
const SIGN_IN = /^\/auth\//;

let stack: Stack;
const answers = new Map<string, Answer>();
const links: Link[] = [];

/** Follows everything that the home page leads to, and what that leads to, until there is nothing new. */
beforeAll(async () => {
  stack = await startStack();
  const waiting = ['/', '/sitemap.xml', '/robots.txt'];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const key = SIGN_IN.test(path) ? path.replace(/\?.*/, '') : path;
    if (answers.has(key)) continue;
    const answer = await get(path);
    answers.set(key, answer);
    for (const address of addressesIn(answer)) {
      const url = new URL(address, stack.site.origin + path);
      if (url.origin !== stack.site.origin) {
        links.push({ from: path, to: url.href, hash: '' });
        continue;
      }
      const to = url.pathname + url.search;
      links.push({ from: path, to, hash: decodeURIComponent(url.hash.slice(1)) });
      waiting.push(to);
    }
  }
}, 120_000);
afterAll(() => stack.stop());

async function get(path: string): Promise<Answer> {
  const response = await fetch(stack.site.origin + path, {
    headers: { accept: 'text/html, */*', cookie: 'locale=en' },
  });
  // Followed as far as the hosted login; what stands there is not the site's.
  const isOurs = response.url.startsWith(stack.site.origin);
  return {
    status: response.status,
    type: response.headers.get('content-type')?.split(';')[0] ?? '',
    body: isOurs ? await response.text() : '',
  };
}

/** What a document, a style sheet, a script, a manifest or a sitemap points to. */
function addressesIn({ type, body }: Answer): string[] {
  const found = (pattern: RegExp) => [...body.matchAll(pattern)].map(([, address = '']) => address);
  switch (type) {
    case 'text/html':
      return (
        found(/<(?:a|link|script|img)\s[^>]*?(?:href|src)="([^"]*)"/g)
          .map((address) => address.replaceAll('&amp;', '&'))
          // The modules of the client, which the document names for when they are needed.
          .concat(found(/"(\/assets\/[\w./-]+\.js)"/g))
      );
    case 'text/css':
      return found(/url\(["']?([^)"']+)["']?\)/g).filter((address) => !address.startsWith('data:'));
    case 'text/javascript':
    case 'application/javascript':
      return found(/["'`](\/assets\/[\w./-]+)["'`]/g).concat(
        found(/(?:from|import)\s*\(?["'](\.\/[\w./-]+)["']/g),
      );
    case 'application/manifest+json':
      return found(/"(?:src|start_url)":\s*"([^"]+)"/g);
    case 'application/xml':
      return found(/<loc>([^<]+)<\/loc>/g);
    default:
      return [];
  }
}

const documents = () => [...answers].filter(([, { type, body }]) => type === 'text/html' && body !== '');

describe('following every link from the home page', () => {
  it('arrives at all thirty pages, and at scripts, style sheets, fonts and icons', () => {
    for (const locale of locales)
      for (const { slug } of pages) expect([...answers.keys()]).toContain(localizePath(`/${slug}`, locale));
    const types = new Set([...answers.values()].map(({ type }) => type));
    expect([...types]).toEqual(
      expect.arrayContaining(['text/html', 'text/css', 'font/woff2', 'image/svg+xml', 'image/png']),
    );
    expect([...answers.keys()].filter((path) => path.endsWith('.js')).length).toBeGreaterThan(pages.length);
  });

  it('finds nothing broken', () => {
    const broken = [...answers].filter(([, { status }]) => status !== 200);
    expect(
      broken.map(
        ([path, { status }]) => `${status} ${path}, from ${links.find(({ to }) => to === path)?.from}`,
      ),
    ).toEqual([]);
  });

  it('never leaves the site but for the hosted login', () => {
    expect(links.filter(({ to }) => !to.startsWith('/'))).toEqual([]);
  });

  it('finds what every hash names', () => {
    const hashes = links.filter(({ hash }) => hash !== '');
    expect(hashes.length).toBeGreaterThan(30);
    const missing = hashes.filter(({ to, hash }) => !answers.get(to)?.body.includes(` id="${hash}"`));
    expect(missing).toEqual([]);
  });
});

describe('every document', () => {
  it('has each id once', () => {
    for (const [path, { body }] of documents()) {
      const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(ids, path).toEqual([...new Set(ids)]);
    }
  });

  it('holds no NUL, which parsers drop or replace', () => {
    const texts = documents().filter(([, { body }]) => body.includes('\0'));
    expect(texts.map(([path]) => path)).toEqual([]);
  });

  // threat-model: T-013
  it('ends with its end', () => {
    for (const [path, { body }] of documents()) {
      expect(body.indexOf('</html>'), path).toBe(body.length - '</html>'.length);
    }
  });
});
