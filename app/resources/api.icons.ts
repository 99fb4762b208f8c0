import { createHash } from 'node:crypto';
import { isIconName } from '../icons/icon-request.ts';
import { describeUpstreamFailure } from '../server/http/upstream-failure.ts';
import type { Icons } from '../server/icons/icons.ts';
import type { Log } from '../server/observability/log.ts';
import { UpstreamError } from '../server/resilience/upstream-error.ts';

/** What the route needs of a request's context. */
export type IconsContext = { icons: Icons; log: Log; requestId: string };

type Args = { request: Request; params: { file?: string | undefined }; context: IconsContext };

const HOUR = 60 * 60;
const DAY = 24 * HOUR;
/** Four times what a well-behaved client puts into an address. */
const MAX_NAMES_LENGTH = 2000;

/**
 * `GET /api/icons/{collection}.json?icons={name},{name}`: those icons of the collection as Iconify JSON
 * (https://iconify.design/docs/types/iconify-json.html), the same for everybody. Names it does not have are left out.
 */
export async function loader({ request, params, context }: Args): Promise<Response> {
  const { log, requestId, icons } = context;
  const collection = /^(.*)\.json$/.exec(params.file ?? '')?.[1] ?? '';
  if (!isIconName(collection))
    return refuse(404, 'UnknownCollection', 'There is no such collection.', context);
  const names = readNames(new URL(request.url).searchParams.get('icons') ?? '');
  if (!names) return refuse(400, 'BadIcons', 'Name icons in the query: ?icons=a,b', context);
  try {
    const found = await icons.collection(collection, names);
    if (!found) return refuse(404, 'UnknownCollection', 'There is no such collection.', context);
    return answer(request, found, hasAll(found, names) ? 7 * DAY : HOUR);
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err;
    log.warn({ err, requestId, collection }, 'icons not loaded');
    const { status, code, message, headers } = describeUpstreamFailure(err);
    return refuse(status, code, message, context, headers);
  }
}

/** There is nothing to post here. */
export function action({ context }: Args): Response {
  return refuse(405, 'MethodNotAllowed', 'Icons are read.', context, { allow: 'GET, HEAD' });
}

/** Each name once, in order, so that the same icons have the same answer; null where one breaks the rule. */
function readNames(list: string): string[] | null {
  if (list.length > MAX_NAMES_LENGTH) return null;
  const names = [...new Set(list.split(','))].sort();
  return names.every(isIconName) ? names : null;
}

function hasAll(found: { icons: object; aliases?: object }, names: readonly string[]): boolean {
  return names.every((name) => Object.hasOwn(found.icons, name) || Object.hasOwn(found.aliases ?? {}, name));
}

/** 304 to whoever has the same already (RFC 9110 section 13.1.2). */
function answer(request: Request, body: unknown, maxAge: number): Response {
  const text = JSON.stringify(body);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': `public, max-age=${maxAge}, stale-while-revalidate=${7 * DAY}`,
    etag,
  };
  const known = request.headers.get('if-none-match')?.split(',') ?? [];
  const isKnown = known.some((tag) => tag.trim().replace(/^W\//, '') === etag);
  return isKnown ? new Response(null, { status: 304, headers }) : new Response(text, { headers });
}

function refuse(
  status: number,
  code: string,
  message: string,
  { requestId }: IconsContext,
  headers: Record<string, string> = {},
): Response {
  return Response.json(
    { errors: [{ message, errorType: code }], requestId },
    { status, headers: { 'cache-control': 'private, no-store', ...headers } },
  );
}
