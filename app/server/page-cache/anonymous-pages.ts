/** The pages of visitors who have not signed in, rendered by the site itself and answered from memory. */
import { randomUUID } from 'node:crypto';
import { createRequestHandler, type ServerBuild } from '@remix-run/node';
import { defaultLocale, locales, localizePath } from '../../i18n/locales.ts';
import { pages } from '../../pages.ts';
import { createResponseCookies } from '../cookies/cookie-jar.ts';
import { baseHeaders, documentPolicy } from '../http/security-headers.ts';
import { createRequestRecord } from '../observability/request-log.ts';
import { rememberLocale, THEME_COOKIE } from '../preferences/preferences.ts';
import { openRequestContext, type Services } from '../request-context.ts';
import { createPageCache, type PageCache, type PageCacheOptions } from './page-cache.ts';
import { type AnonymousPage, anonymousPage, createAnonymousVisits } from './page-cache-key.ts';

/** Stands in front of the application in production. In development every page is rendered for whoever asks. */
export function createAnonymousPages(services: Services, build: ServerBuild): PageCache {
  const { env, log } = services;
  const record = createRequestRecord(services);
  const cookies = createResponseCookies();
  rememberLocale(cookies, defaultLocale, env.appOrigin.startsWith('https:'));
  return createPageCache({
    visitOf: createAnonymousVisits(env, anonymousPages()),
    render: createRendering(services, build),
    headers: baseHeaders(env),
    policy: (scripts) => documentPolicy(scripts, env, false),
    firstVisitCookie: cookies.lines().join(),
    onAnswer: ({ requestId, asked, status, ms }) => record({ requestId, asked, status, ms, session: null }),
    log,
  });
}

/** By path, every page in every language but those whose middleware may treat visitors differently. */
function anonymousPages(): Map<string, AnonymousPage> {
  const open = pages.filter(({ middleware = [] }) => middleware.length === 0);
  return new Map(
    open.flatMap(({ name, slug }) =>
      locales.map((locale) => {
        const path = localizePath(`/${slug}`, locale);
        return [path, anonymousPage(`${name}___${locale.code}`, path)];
      }),
    ),
  );
}

/** Renders as for a request with no cookie but the theme: the same routes and loaders as for everybody. */
function createRendering(services: Services, build: ServerBuild): PageCacheOptions['render'] {
  const handle = createRequestHandler(build, 'production');
  return async (path, theme) => {
    const request = new Request(services.env.appOrigin + path, {
      headers: { cookie: `${THEME_COOKIE}=${theme}` },
    });
    const context = await openRequestContext(services, request, { requestId: randomUUID(), nonce: null });
    const response = await handle(request, context);
    for (const line of context.cookies.lines()) response.headers.append('set-cookie', line);
    return response;
  };
}
