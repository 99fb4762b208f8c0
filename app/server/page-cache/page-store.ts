/** The memory of the page cache. */
import { LRUCache } from 'lru-cache';
import type { Theme } from '../../theme/theme.ts';
import type { CachedPage } from './cached-page.ts';
import type { PageCacheKey } from './page-cache-key.ts';

export type PageStore = {
  /** Null means that the page is not cacheable. Undefined means that it was not rendered yet, or was removed. */
  get(key: PageCacheKey): CachedPage | null | undefined;
  set(key: PageCacheKey, page: CachedPage | null): void;
};

/** Room for some 150 pages with a language offer. All of them, nine for each page and theme, would take 100 MB. */
const MAX_BYTES_WITH_OFFER = 16 * 1024 * 1024;

/**
 * Creates an empty store. Pages without a language offer stay for good: there is one for each path and theme. Those with
 * an offer are limited in bytes; the least recently used are removed.
 */
export function createPageStore(maxBytesWithOffer = MAX_BYTES_WITH_OFFER): PageStore {
  const pages: Record<Theme, Map<string, CachedPage | null>> = {
    dark: new Map(),
    light: new Map(),
    system: new Map(),
  };
  const withOffer = new LRUCache<string, CachedPage>({ maxSize: maxBytesWithOffer, sizeCalculation: sizeOf });
  return {
    get({ path, theme, offer }) {
      const page = pages[theme].get(path);
      return offer === null || page === null ? page : withOffer.get(`${theme} ${offer} ${path}`);
    },
    set({ path, theme, offer }, page) {
      if (offer === null || page === null) pages[theme].set(path, page);
      else withOffer.set(`${theme} ${offer} ${path}`, page);
    },
  };
}

/** The page without a content coding is the same buffer as `html`. */
function sizeOf({ html, responses }: CachedPage): number {
  return html.length + responses.br.body.length + responses.gzip.body.length;
}
