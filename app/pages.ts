/**
 * The registry of pages. To add a page, add a line here, a folder `app/pages/{namespace}` with the route module
 * `{namespace}.tsx`, and the page's translations in `public/locales/{locale}/{namespace}.json` with its link text in
 * `common.json` under `nav.pages`. The build defines one route for each page and locale.
 */

/** Layouts that a page may name. `app/layouts/layouts.ts` implements them. */
export const layoutNames = ['default'] as const;
export type LayoutName = (typeof layoutNames)[number];

/** Route middleware that a page may name. `app/server/rendering/route-middleware.ts` implements it. */
export type MiddlewareName = 'signed-in';

type PageDefinition = {
  /** First part of the route id, as in `{name}___{locale}`. */
  name: string;
  /** Path after the locale prefix, without slashes. Empty for the home page. */
  slug: string;
  /** Folder of the page below `app/pages`, and namespace of its translations in `public/locales/{locale}`. */
  namespace: string;
  /** `footer` leaves the page out of the navigation: only the footer and other pages link to it. */
  linkedFrom?: 'navigation' | 'footer';
  layout?: LayoutName;
  /** Theme in which the page is always shown. The visitor's preference stays unchanged. */
  forcedTheme?: 'light' | 'dark';
  /** Returns false for a URL that must get a 404 with the message `Page Not Found: {path}`. */
  isValid?: (url: URL) => boolean;
  /** Middleware that runs on the server, in this order, before the page's data is loaded. */
  middleware?: readonly MiddlewareName[];
};

const definitions = [
  { name: 'index', slug: '', namespace: 'home' },
  { name: 'test-message', slug: 'test-message', namespace: 'test-message' },
  { name: 'typography-demo', slug: 'typography-demo', namespace: 'typography-demo' },
  { name: 'privacy', slug: 'privacy', namespace: 'privacy', linkedFrom: 'footer' },
] as const satisfies readonly PageDefinition[];

export type PageName = (typeof definitions)[number]['name'];
/**
 * A file of translations: `public/locales/{locale}/{namespace}.json`. Every page has `common` and its own. `server` is for
 * texts that browsers get one by one, when they are shown.
 */
export type Namespace = 'common' | 'server' | PageNamespace;
type PageNamespace = (typeof definitions)[number]['namespace'];
export type Page = PageDefinition & { name: PageName; namespace: PageNamespace };

export const pages: readonly Page[] = definitions;

/** The page with this name. */
export function pageNamed(name: PageName): Page {
  const page = pages.find((candidate) => candidate.name === name);
  if (!page) throw new Error(`Unknown page: '${name}'.`);
  return page;
}

/** Whether only signed-in visitors may open the page. */
export function isForMembers({ middleware = [] }: Pick<Page, 'middleware'>): boolean {
  return middleware.includes('signed-in');
}

/** The page at a path without a locale prefix, or null. */
export function pageAtPath(pathname: string): Page | null {
  return pages.find((page) => `/${page.slug}` === pathname) ?? null;
}

/** The 404 response for a URL that a page does not accept. */
export function pageNotFound({ pathname, search }: URL): Response {
  return new Response(null, { status: 404, statusText: `Page Not Found: ${pathname}${search}` });
}

/** The page's route module, relative to `app/`. */
export function routeModuleOf({ namespace }: Pick<Page, 'namespace'>): string {
  return `pages/${namespace}/${namespace}.tsx`;
}

/** The theme that a page forces, or null. `system` cannot be forced, because it means that no theme is forced. */
export function forcedThemeOf(page: { forcedTheme?: string | undefined } | null): 'light' | 'dark' | null {
  return page?.forcedTheme === 'light' || page?.forcedTheme === 'dark' ? page.forcedTheme : null;
}
