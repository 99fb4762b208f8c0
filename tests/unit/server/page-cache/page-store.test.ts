import { describe, expect, it } from 'vitest';
import type { PreparedResponse } from '../../../../app/server/http/exchange.ts';
import type { CachedPage } from '../../../../app/server/page-cache/cached-page.ts';
import type { PageCacheKey } from '../../../../app/server/page-cache/page-cache-key.ts';
import { createPageStore } from '../../../../app/server/page-cache/page-store.ts';
import { other } from '../../../support/this-site.ts';

const head = { lines: [], setCookie: [], cacheControl: '', cdnCacheControl: '', vary: [], isForCache: false };
const response = (bytes: number): PreparedResponse => ({
  etag: '',
  head,
  notModifiedHead: head,
  body: Buffer.alloc(bytes),
});

/** A page of 1,000 bytes in all content codings together. */
const page = (): CachedPage => ({
  html: Buffer.alloc(800),
  headers: { etag: '' },
  responses: { br: response(90), gzip: response(110), identity: response(800) },
  keyedResponses: null,
});

const keyOf = (path: string, offer: PageCacheKey['offer'] = null): PageCacheKey => ({
  path,
  theme: 'dark',
  offer,
});

describe('the memory of the page cache', () => {
  it('finds a page by its path, theme and offered language', () => {
    const store = createPageStore();
    const [plain, offered] = [page(), page()];
    store.set(keyOf(`/${other.code}`), plain);
    store.set(keyOf(`/${other.code}`, other.code), offered);
    expect(store.get(keyOf(`/${other.code}`))).toBe(plain);
    expect(store.get(keyOf(`/${other.code}`, other.code))).toBe(offered);
    for (const key of [
      keyOf(`/${other.code}`, 'en'),
      keyOf('/'),
      { ...keyOf(`/${other.code}`), theme: 'light' as const },
    ]) {
      expect(store.get(key)).toBeUndefined();
    }
  });

  // threat-model: T-039
  it('removes the least recently used pages with an offer when they have too many bytes, and no others', () => {
    const store = createPageStore(3000);
    for (const path of ['/a', '/b', '/c', '/d', '/e']) store.set(keyOf(path), page());
    for (const path of ['/a', '/b', '/c']) store.set(keyOf(path, other.code), page());
    store.get(keyOf('/a', other.code));
    store.set(keyOf('/d', other.code), page());
    const kept = ['/a', '/b', '/c', '/d'].filter((path) => store.get(keyOf(path, other.code)));
    expect(kept).toEqual(['/a', '/c', '/d']);
    expect(['/a', '/b', '/c', '/d', '/e'].every((path) => store.get(keyOf(path)))).toBe(true);
  });

  it('has no entry for any offer of a page that was found not to be cacheable', () => {
    const store = createPageStore();
    store.set(keyOf(`/${other.code}`, other.code), null);
    expect(store.get(keyOf(`/${other.code}`))).toBeNull();
    expect(store.get(keyOf(`/${other.code}`, 'en'))).toBeNull();
  });
});
