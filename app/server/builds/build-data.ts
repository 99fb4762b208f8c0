/**
 * What the site tells about its build: its id, its manifest with the rules of all routes, and each page's payload
 * (translations and head). The same for every visitor, so it needs no session and may be cached. The browser's code has
 * the rules from `pages.ts`; of the manifest it uses only whether the server still has it.
 */

import type { Exchange, Rejection, SiteResponse } from '@tenfold/site-server';
import { localeOfPath, locales, stripLocale } from '../../i18n/locales.ts';
import { pageAtPath, pathOf, routeIdOf } from '../../i18n/localized-page.ts';
import type { Translations } from '../../i18n/translations.server.ts';
import { forcedThemeOf, pages } from '../../pages.ts';
import { problem } from '../errors/error-response.ts';
import { pagePayload } from './page-payload.ts';

/** `builtAt` is when the build was made, in milliseconds since the epoch. */
type Build = { id: string; timestamp: number };

type BuildDataOptions = { buildId: string; builtAt: number; translations: Translations };

const IMMUTABLE = 'public, max-age=31536000, immutable';
const NOT_STORED = 'no-store';

/** The part of a request that build data depends on. */
export type BuildDataRequest = Pick<Exchange, 'method' | 'path' | 'search' | 'requestId'>;

/**
 * Creates a handler for `/builds/latest.json`, `/builds/meta/{id}.json` and `{page}/_payload.json`, null for every
 * other path. A payload is serialized at its first request.
 */
export function createBuildData({
  buildId,
  builtAt,
  translations,
}: BuildDataOptions): (request: BuildDataRequest) => SiteResponse | null {
  const build: Build = { id: buildId, timestamp: builtAt };
  const latest = JSON.stringify(build);
  const manifest = JSON.stringify(buildManifest(build));
  const payloads = new Map(
    pages.flatMap((page) =>
      locales.map((locale) => [
        routeIdOf(page, locale),
        lazily(() => JSON.stringify(pagePayload(page, locale, build.id, translations))),
      ]),
    ),
  );
  const find = ({ path, search, requestId }: BuildDataRequest): SiteResponse | null => {
    if (path === '/builds/latest.json') return json(NOT_STORED, latest);
    const id = /^\/builds\/meta\/([^/]+)\.json$/.exec(path)?.[1];
    if (id === build.id) return json(IMMUTABLE, manifest);
    if (id !== undefined) return failure({ status: 404, code: 'UnknownBuild' }, requestId);
    const payload = payloads.get(payloadRoute(path))?.();
    if (payload === undefined) return null;
    // The payload of this build must not be cached under another build's id.
    return json(search === `?${build.id}` ? IMMUTABLE : NOT_STORED, payload);
  };
  return (request) => {
    const response = find(request);
    if (!response || request.method !== 'POST') return response;
    return failure({ status: 405, code: 'MethodNotAllowed' }, request.requestId);
  };
}

/** The id of the route whose payload is at a path, or an empty text. */
function payloadRoute(path: string): string {
  const [, pagePath] = /^(.*)\/_payload\.json$/.exec(path) ?? [];
  const page = pagePath === undefined ? null : pageAtPath(stripLocale(pagePath || '/'));
  return page ? routeIdOf(page, localeOfPath(path)) : '';
}

function json(cacheControl: string, body: string): SiteResponse {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': cacheControl };
  return { status: 200, headers, body };
}

function failure(rejection: Rejection, requestId: string): SiteResponse {
  const { type, json } = problem(rejection, requestId);
  const headers = { 'content-type': type, 'cache-control': NOT_STORED };
  return { status: rejection.status, headers, body: json };
}

function lazily(create: () => string): () => string {
  let text: string | undefined;
  return () => {
    text ??= create();
    return text;
  };
}

/** The build and the rules of its routes, one for each page and locale. */
function buildManifest(build: Build) {
  const routes = pages.flatMap((page) =>
    locales.map((locale) => ({
      id: routeIdOf(page, locale),
      path: pathOf(page, locale),
      page: page.name,
      locale: locale.code,
      layout: page.layout ?? 'default',
      forcedTheme: forcedThemeOf(page),
      middleware: page.middleware ?? [],
    })),
  );
  return { ...build, routes };
}
