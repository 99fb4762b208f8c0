import { describe, expect, it } from 'vitest';
import type { PreparedResponse } from '../../../../app/server/http/exchange.ts';
import type { CachedPage } from '../../../../app/server/page-cache/cached-page.ts';
import type { PageCacheKey } from '../../../../app/server/page-cache/page-cache-key.ts';
import { createPageStore } from '../../../../app/server/page-cache/page-store.ts';

const head = { lines: [], setCookie: [], cacheControl: '', vary: [] };
const response = (bytes: number): PreparedResponse => ({
  etag: '',
  head,
  notModifiedHead: head,
  body: Buffer.alloc(bytes),
});

/** A page of 1,000 bytes in all content codings together. */
const page = (): CachedPage => ({
  html: Buffer.alloc(800),
  headers: {},
  responses: { br: response(90), gzip: response(110), identity: response(800) },
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
    store.set(keyOf('/fr'), plain);
    store.set(keyOf('/fr', 'de'), offered);
    expect(store.get(keyOf('/fr'))).toBe(plain);
    expect(store.get(keyOf('/fr', 'de'))).toBe(offered);
    for (const key of [keyOf('/fr', 'ja'), keyOf('/es'), { ...keyOf('/fr'), theme: 'light' as const }]) {
      expect(store.get(key)).toBeUndefined();
    }
  });

  // threat-model: T-039
  it('removes the least recently used pages with an offer when they have too many bytes, and no others', () => {
    const store = createPageStore(3000);
    for (const path of ['/a', '/b', '/c', '/d', '/e']) store.set(keyOf(path), page());
    for (const path of ['/a', '/b', '/c']) store.set(keyOf(path, 'de'), page());
    store.get(keyOf('/a', 'de'));
    store.set(keyOf('/d', 'de'), page());
    const kept = ['/a', '/b', '/c', '/d'].filter((path) => store.get(keyOf(path, 'de')));
    expect(kept).toEqual(['/a', '/c', '/d']);
    expect(['/a', '/b', '/c', '/d', '/e'].every((path) => store.get(keyOf(path)))).toBe(true);
  });

  it('has no entry for any offer of a page that was found not to be cacheable', () => {
    const store = createPageStore();
    store.set(keyOf('/fr', 'de'), null);
    expect(store.get(keyOf('/fr'))).toBeNull();
    expect(store.get(keyOf('/fr', 'ja'))).toBeNull();
  });
});
