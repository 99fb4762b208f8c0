// Remix's options and the route table: one route for each page and locale, and the resource routes.
import { locales } from './app/i18n/locales.ts';
import { pathOf, routeIdOf } from './app/i18n/localized-page.ts';
import { checkSlugs } from './app/i18n/slugs.ts';
import { pages, routeModuleOf } from './app/pages.ts';

/** Path to module below app/resources. */
const resources = {
  preferences: 'preferences.ts',
  'csp-reports': 'csp-reports.ts',
  'auth/sign-in': 'auth.sign-in.ts',
  'auth/sign-up': 'auth.sign-up.ts',
  'auth/callback': 'auth.callback.ts',
  'auth/sign-out': 'auth.sign-out.ts',
  'api/icons/:file': 'api.icons.ts',
  'sitemap.xml': 'sitemap.ts',
  'robots.txt': 'robots.ts',
  '.well-known/security.txt': 'security-txt.ts',
  'manifest.webmanifest': 'web-manifest.ts',
  'api/graphql': 'api.graphql.ts',
  'api/identity': 'api.identity.ts',
  'api/messages/events': 'api.messages.events.ts',
};

checkSlugs(pages, Object.keys(resources));

/** @type {import('@remix-run/dev').VitePluginConfig} */
export default {
  appDirectory: 'app',
  // Every route is in the table below. File names define no routes.
  ignoredRouteFiles: ['**/*'],
  future: {
    v3_fetcherPersist: true,
    v3_lazyRouteDiscovery: true,
    v3_relativeSplatPath: true,
    v3_singleFetch: true,
    v3_throwAbortReason: true,
  },
  routes(defineRoutes) {
    return defineRoutes((route) => {
      for (const locale of locales) {
        for (const page of pages) {
          const path = pathOf(page, locale).slice(1);
          const id = routeIdOf(page, locale);
          // `/FR` is not `/fr`: one page, one address.
          route(path || undefined, routeModuleOf(page), { id, index: path === '', caseSensitive: true });
        }
      }
      for (const [path, module] of Object.entries(resources)) {
        route(path, `resources/${module}`, { id: path, caseSensitive: true });
      }
      route('*', 'pages/not-found/not-found.tsx', { id: 'not-found' });
    });
  },
};
