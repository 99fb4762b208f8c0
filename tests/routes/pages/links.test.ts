import { beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../app/pages.ts';
import { openLocalizedPages } from '../../support/localized-pages.ts';
import { setUpStack } from '../support/set-up-stack.ts';

/** `charset` is null where the content type names none. */
type FetchedPage = { status: number; type: string; charset: string | null; body: string };
type Link = { from: string; to: string; hash: string };

/** Addresses that lead to the hosted login. They differ in `returnTo` only, so each path is requested once. */
const SIGN_IN = /^\/auth\//;

const stack = setUpStack();
const fetched = new Map<string, FetchedPage>();
const links: Link[] = [];

/** Follows all links from the home page, the sitemap and robots.txt. */
beforeAll(async () => {
  const queue = ['/', '/sitemap.xml', '/robots.txt'];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const key = SIGN_IN.test(path) ? path.replace(/\?.*/, '') : path;
    if (fetched.has(key)) continue;
    const page = await get(path);
    fetched.set(key, page);
    for (const address of addressesIn(page)) {
      const url = new URL(address, stack.site.origin + path);
      if (url.origin !== stack.site.origin) {
        links.push({ from: path, to: url.href, hash: '' });
        continue;
      }
      const to = url.pathname + url.search;
      links.push({ from: path, to, hash: decodeURIComponent(url.hash.slice(1)) });
      queue.push(to);
    }
  }
});

async function get(path: string): Promise<FetchedPage> {
  const response = await fetch(stack.site.origin + path, {
    headers: { accept: 'text/html, */*', cookie: 'locale=en' },
  });
  // The body of the hosted login does not belong to the site.
  const isOurs = response.url.startsWith(stack.site.origin);
  const [type = '', charset] = response.headers.get('content-type')?.split('; charset=') ?? [];
  return {
    status: response.status,
    type,
    charset: charset ?? null,
    body: isOurs ? await response.text() : '',
  };
}

/** Returns the addresses in a document, style sheet, script, manifest or sitemap. */
function addressesIn({ type, body }: FetchedPage): string[] {
  const found = (pattern: RegExp) => [...body.matchAll(pattern)].map(([, address = '']) => address);
  switch (type) {
    case 'text/html':
      return (
        found(/<(?:a|link|script|img)\s[^>]*?(?:href|src)="([^"]*)"/g)
          .map((address) => address.replaceAll('&amp;', '&'))
          // The modules of the client, which load later.
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

const documents = () => [...fetched].filter(([, { type, body }]) => type === 'text/html' && body !== '');

describe('following every link from the home page', () => {
  it('reaches every page that anyone may open, scripts, style sheets, fonts and icons', () => {
    for (const { path } of openLocalizedPages) expect([...fetched.keys()]).toContain(path);
    const types = new Set([...fetched.values()].map(({ type }) => type));
    expect([...types]).toEqual(
      expect.arrayContaining(['text/html', 'text/css', 'font/woff2', 'image/svg+xml', 'image/png']),
    );
    expect([...fetched.keys()].filter((path) => path.endsWith('.js')).length).toBeGreaterThan(pages.length);
  });

  it('finds the charset UTF-8 named for every text, including SVG and XML', () => {
    const texts = [...fetched].filter(
      ([path, { type }]) => !SIGN_IN.test(path) && /^text\/|[+/](?:xml|json)$/.test(type),
    );
    expect(texts.length).toBeGreaterThan(pages.length);
    expect(texts.filter(([, { charset }]) => charset !== 'utf-8').map(([path]) => path)).toEqual([]);
  });

  it('finds no broken link', () => {
    const broken = [...fetched].filter(([, { status }]) => status !== 200);
    const sourceOf = (path: string) => links.find(({ to }) => to === path)?.from;
    expect(broken.map(([path, { status }]) => `${status} ${path}, from ${sourceOf(path)}`)).toEqual([]);
  });

  it('leads to no other site than the hosted login', () => {
    expect(links.filter(({ to }) => !to.startsWith('/'))).toEqual([]);
  });

  it('finds the element of every fragment', () => {
    const hashes = links.filter(({ hash }) => hash !== '');
    // Each page has at least the link to its content.
    expect(hashes.length).toBeGreaterThanOrEqual(openLocalizedPages.length);
    const missing = hashes.filter(({ to, hash }) => !fetched.get(to)?.body.includes(` id="${hash}"`));
    expect(missing).toEqual([]);
  });
});

describe('every document', () => {
  it('has no duplicate ids', () => {
    for (const [path, { body }] of documents()) {
      const ids = [...body.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(ids, path).toEqual([...new Set(ids)]);
    }
  });

  it('contains no NUL, which parsers drop or replace', () => {
    const texts = documents().filter(([, { body }]) => body.includes('\0'));
    expect(texts.map(([path]) => path)).toEqual([]);
  });

  // threat-model: T-013
  it('contains nothing after its end tag', () => {
    for (const [path, { body }] of documents()) {
      expect(body.indexOf('</html>'), path).toBe(body.length - '</html>'.length);
    }
  });
});
