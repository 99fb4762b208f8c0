/**
 * What scripts read about the site itself: which build it is, what pages that has, and each page's words. None of it
 * depends on who asks, so it is answered before any session is opened and can lie in any cache.
 */

import { locales, localizePath } from '../../i18n/locales.ts';
import { payloadPathOf, routeIdOf } from '../../i18n/localized-page.ts';
import type { Messages } from '../../i18n/messages.server.ts';
import { forcedThemeOf, pages } from '../../pages.ts';
import { pagePayload } from '../rendering/page-data.ts';

/** One build of the site. `timestamp` is when it was built, in milliseconds. */
export type Build = { id: string; timestamp: number };

export type StaticAnswer = { status: 200 | 404; cacheControl: string; body: string };

const FOR_GOOD = 'public, max-age=31536000, immutable';
const NEVER = 'no-store';

/** Answers a path and query (`search` with its `?`), or null where neither a build nor a payload is asked for. */
export type StaticData = (pathname: string, search: string) => StaticAnswer | null;

/** The static data of a build. A payload is written when it is first asked for. */
export function createStaticData(build: Build, messages: Messages): StaticData {
  const latest = JSON.stringify(build);
  const manifest = JSON.stringify(buildManifest(build));
  const payloads = new Map(
    pages.flatMap((page) =>
      locales.map((locale) => [
        payloadPathOf(page, locale),
        writtenOnce(() => JSON.stringify(pagePayload(page, locale, build.id, messages))),
      ]),
    ),
  );
  return (pathname, search) => {
    if (pathname === '/builds/latest.json') return { status: 200, cacheControl: NEVER, body: latest };
    const id = /^\/builds\/meta\/([^/]+)\.json$/.exec(pathname)?.[1];
    if (id === build.id) return { status: 200, cacheControl: FOR_GOOD, body: manifest };
    if (id !== undefined) {
      return { status: 404, cacheControl: NEVER, body: JSON.stringify({ error: 'UnknownBuild' }) };
    }
    const payload = payloads.get(pathname)?.();
    if (payload === undefined) return null;
    // Another build's name on these words, kept for good, would be a lie that nobody could take back.
    return { status: 200, cacheControl: search === `?${build.id}` ? FOR_GOOD : NEVER, body: payload };
  };
}

function writtenOnce(write: () => string): () => string {
  let text: string | undefined;
  return () => {
    text ??= write();
    return text;
  };
}

/** The build and the rules of its routes, one for each page and locale. */
function buildManifest(build: Build) {
  const routes = pages.flatMap((page) =>
    locales.map((locale) => ({
      id: routeIdOf(page, locale),
      path: localizePath(`/${page.slug}`, locale),
      page: page.name,
      locale: locale.code,
      layout: page.layout ?? 'default',
      forcedTheme: forcedThemeOf(page),
      middleware: page.middleware ?? [],
    })),
  );
  return { ...build, routes };
}
