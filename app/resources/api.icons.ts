import { createHash } from 'node:crypto';
import type { Log } from '@tenfold/site-server';
import { describeUpstreamFailure, UpstreamError } from '@tenfold/upstream';
import { errorResponse } from '../server/errors/error-response.ts';
import { isIconName } from '../server/icons/icon-names.ts';
import type { Icons } from '../server/icons/icons.ts';

/** The part of the request context that the route uses. */
export type IconsContext = { icons: Icons; log: Log; requestId: string };

type Args = { request: Request; params: { file?: string | undefined }; context: IconsContext };

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** Four times the length that the site's own icon loader uses. */
const MAX_NAMES_LENGTH = 2000;

/**
 * `GET /api/icons/{collection}.json?icons={name},{name}` returns these icons of a collection as Iconify JSON
 * (https://iconify.design/docs/types/iconify-json.html). Names that the collection does not have are left out.
 */
export async function loader({ request, params, context }: Args): Promise<Response> {
  const { log, requestId, icons } = context;
  const collection = /^(.*)\.json$/.exec(params.file ?? '')?.[1] ?? '';
  if (!isIconName(collection)) return unknownCollection(requestId);
  const names = readNames(new URL(request.url).searchParams.get('icons') ?? '');
  if (!names) {
    const message = 'Name icons in the query: ?icons=a,b';
    return errorResponse({ status: 400, code: 'BadIcons', message }, requestId);
  }
  try {
    const found = await icons.collection(collection, names);
    if (!found) return unknownCollection(requestId);
    return iconResponse(found, hasAll(found, names) ? 7 * DAY : HOUR);
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err;
    log.warn({ err, requestId, collection }, 'icons not loaded');
    return errorResponse(describeUpstreamFailure(err), requestId);
  }
}

export function action({ context }: Args): Response {
  const headers = { allow: 'GET, HEAD' };
  const rejection = { status: 405, code: 'MethodNotAllowed', message: 'Use GET.', headers };
  return errorResponse(rejection, context.requestId);
}

function unknownCollection(requestId: string): Response {
  const message = 'There is no such collection.';
  return errorResponse({ status: 404, code: 'UnknownCollection', message }, requestId);
}

/** Returns each name once, sorted, so that the same icons have the same response; null when one is invalid. */
function readNames(list: string): string[] | null {
  if (list.length > MAX_NAMES_LENGTH) return null;
  const names = [...new Set(list.split(','))].sort();
  return names.every(isIconName) ? names : null;
}

function hasAll(found: { icons: object; aliases?: object }, names: readonly string[]): boolean {
  return names.every((name) => Object.hasOwn(found.icons, name) || Object.hasOwn(found.aliases ?? {}, name));
}

function iconResponse(body: unknown, maxAge: number): Response {
  const text = JSON.stringify(body);
  return new Response(text, {
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': `public, max-age=${maxAge}, stale-while-revalidate=${7 * DAY}`,
      etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`,
    },
  });
}
