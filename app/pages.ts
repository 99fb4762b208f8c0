/**
 * The registry of pages. To add a page, add a line here, a folder `app/pages/{namespace}` with the route module
 * `{namespace}.tsx`, and the page's translations in `public/locales/{locale}/{namespace}.json` with its link text in
 * `common.json` under `nav.pages`. The build defines one route for each page and locale.
 */

/** Layouts that a page may name. `app/layouts/layouts.ts` implements them. */
export const layoutNames = ['default'] as const;
export type LayoutName = (typeof layoutNames)[number];

/** Groups of the user pool whose members may do more than others, as `infra/template.yaml` defines them. */
export const groupNames = ['admins'] as const;
export type GroupName = (typeof groupNames)[number];

/**
 * Route middleware that a page may name. `app/server/rendering/route-middleware.ts` implements it. `in-group:` admits signed-in
 * visitors in this group only.
 */
export type MiddlewareName = 'signed-in' | `in-group:${GroupName}`;

type PageDefinition = {
  /** First part of the route id, as in `{name}___{locale}`. */
  name: string;
  /** Path after the locale prefix. Empty for the home page. A segment with a colon is a parameter, as in `items/:id`. */
  slug: string;
  /** Folder of the page below `app/pages`, and namespace of its translations in `public/locales/{locale}`. */
  namespace: string;
  /**
   * `footer` and `menu` leave the page out of the navigation: only the footer, or the menu of signed-in visitors, and
   * other pages link to it. To a page with parameters only other pages link.
   */
  linkedFrom?: 'navigation' | 'footer' | 'menu';
  layout?: LayoutName;
  /** Theme in which the page is always shown. The visitor's preference stays unchanged. */
  forcedTheme?: 'light' | 'dark';
  /** Returns false for a URL that must get a 404 with the message `Page Not Found: {path}`. */
  isValid?: (url: URL) => boolean;
  /** Middleware that runs on the server, in this order, before the page's data is loaded. */
  middleware?: readonly MiddlewareName[];
  /**
   * How many seconds a response for visitors without a session may be sent again. By default as long as the process runs,
   * and 0 for a page with parameters. A page with middleware is never kept.
   */
  cacheSeconds?: number;
  /** How many bytes the body of a form for the page may have, from any visitor. By default 64 KiB. */
  maxBodyBytes?: number;
};

const definitions = [
  { name: 'index', slug: '', namespace: 'home' },
  { name: 'test-message', slug: 'test-message', namespace: 'test-message' },
  { name: 'typography-demo', slug: 'typography-demo', namespace: 'typography-demo' },
  { name: 'privacy', slug: 'privacy', namespace: 'privacy', linkedFrom: 'footer' },
  { name: 'account', slug: 'account', namespace: 'account', linkedFrom: 'menu', middleware: ['signed-in'] },
] as const satisfies readonly PageDefinition[];

export type SitePageDefinition = (typeof definitions)[number];
export type PageName = SitePageDefinition['name'];
/**
 * A file of translations: `public/locales/{locale}/{namespace}.json`. Every page has `common` and its own. `server` is for
 * texts that browsers get one by one, when they are shown.
 */
export type Namespace = 'common' | 'server' | PageNamespace;
type PageNamespace = SitePageDefinition['namespace'];
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
  return middleware.some((name) => name === 'signed-in' || name.startsWith(IN_GROUP));
}

const IN_GROUP = 'in-group:';

/** Whether signed-in visitors in these groups may open the page. */
export function isForGroups(
  { middleware = [] }: Pick<Page, 'middleware'>,
  groups: readonly string[],
): boolean {
  return middleware.every(
    (name) => !name.startsWith(IN_GROUP) || groups.includes(name.slice(IN_GROUP.length)),
  );
}

/** How the status message of a 404 begins, before the path: without a route, and for a URL that a page does not accept. */
export const notFoundMessages = { missing: 'Page not found: ', invalid: 'Page Not Found: ' } as const;

/** The status message of a 403 for a page of a group that the visitor is not in. */
export const NOT_IN_GROUP = 'Not in the group of this page';

/** A 404 response. */
export function pageNotFound(
  { pathname, search }: URL,
  reason: keyof typeof notFoundMessages = 'invalid',
): Response {
  return new Response(null, { status: 404, statusText: notFoundMessages[reason] + pathname + search });
}

/** The page's route module, relative to `app/`. */
export function routeModuleOf({ namespace }: Pick<Page, 'namespace'>): string {
  return `pages/${namespace}/${namespace}.tsx`;
}

/** The theme that a page forces, or null. `system` cannot be forced, because it means that no theme is forced. */
export function forcedThemeOf(page: { forcedTheme?: string | undefined } | null): 'light' | 'dark' | null {
  return page?.forcedTheme === 'light' || page?.forcedTheme === 'dark' ? page.forcedTheme : null;
}
