/**
 * The registry of pages: what each is called, where it is, and what it asks for. The routes are generated from it, one
 * for each page and locale, and it is the one place where a page names its layout, a forced theme, a validity check or
 * the middleware of its routes.
 */
import type { LayoutName } from './layouts/names.ts';
import type { MiddlewareName } from './server/rendering/route-middleware.ts';

export type Page = {
  /** First part of the route's id: `{name}___{locale}`. */
  name: PageName;
  /** Path after the locale's prefix, without slashes; empty for the home page. */
  slug: string;
  /** Route module below `app/`. */
  file: string;
  /** Namespace of the page's own messages in `public/locales/{locale}`. */
  namespace: Namespace;
  layout?: LayoutName;
  /** Shown whatever the visitor prefers, without changing that preference. */
  forcedTheme?: 'light' | 'dark';
  /** False answers 404 `Page Not Found: {path}`. */
  isValid?: (url: URL) => boolean;
  /** Run on the server in this order, before the page's data is read. */
  middleware?: readonly MiddlewareName[];
};

export type PageName = 'index' | 'test-message' | 'typography-demo';
export type Namespace = 'common' | 'home' | 'test-message' | 'typography-demo';

export const pages: readonly Page[] = [
  { name: 'index', slug: '', file: 'pages/home/home.tsx', namespace: 'home' },
  {
    name: 'test-message',
    slug: 'test-message',
    file: 'pages/test-message/test-message.tsx',
    namespace: 'test-message',
  },
  {
    name: 'typography-demo',
    slug: 'typography-demo',
    file: 'pages/typography-demo/typography-demo.tsx',
    namespace: 'typography-demo',
  },
];

/** The page with this name. */
export function pageNamed(name: PageName): Page {
  const page = pages.find((candidate) => candidate.name === name);
  if (!page) throw new Error(`No page is called ${name}`);
  return page;
}

/** The theme that a page forces. `system` cannot be forced: it is what follows from forcing none. */
export function forcedThemeOf(page: { forcedTheme?: string | undefined } | null): 'light' | 'dark' | null {
  return page?.forcedTheme === 'light' || page?.forcedTheme === 'dark' ? page.forcedTheme : null;
}

/** The page at a path that has no locale prefix, or null. */
export function pageAtPath(pathname: string): Page | null {
  return pages.find((page) => `/${page.slug}` === pathname) ?? null;
}
