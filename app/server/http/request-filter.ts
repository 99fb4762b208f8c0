/**
 * Decides which requests the site accepts, before any router parses them. It checks the request as received, so that
 * the check and a parser cannot disagree.
 */
import type { Env } from '../config/env.ts';
import type { Exchange, HeaderReader, SiteResponse, Step } from './exchange.ts';
import { bodyTooLarge, MAX_BODY_BYTES, type Rejection } from './rejection.ts';

/**
 * The part of a request that the filter checks. `target` is the path and query as received, `path` its part before the
 * first `?`.
 */
export type FilteredRequest = { method: string; target: string; path: string; headers: HeaderReader };

/** Ten times the longest path of the site. */
export const MAX_PATH_LENGTH = 1024;

/** Page tokens of the data API have up to 8,192 characters. */
export const MAX_QUERY_LENGTH = 8192 + 512;

/**
 * Parameters of a query. Remix takes the values of `index` out of the query and appends them one by one, so that the cost
 * grows with the square of their number.
 */
export const MAX_PARAMETERS = 100;

/** Lines of the head. Browsers send some twenty. */
export const MAX_HEADERS = 500;

/**
 * The address from which Remix's client requests the manifest of routes that it has not loaded. Within these limits it
 * can request all pages of the site at once.
 */
const DISCOVERY = '/__manifest';
const MAX_DISCOVERY_LENGTH = 2048;
const MAX_DISCOVERY_SEGMENTS = 256;
/** Segments of one path; the site's have two. Remix matches every prefix of a path too. */
const MAX_DISCOVERY_DEPTH = 8;

const SAFE_METHODS = new Set(['GET', 'HEAD']);
const METHODS = new Set([...SAFE_METHODS, 'POST']);

type RequestFilterOptions = {
  env: Pick<Env, 'appOrigin'>;
  reject: (exchange: Exchange, rejection: Rejection) => SiteResponse;
};

/** Creates the step that rejects too many headers (431, RFC 6585 section 5), and what `filterRequest` does. */
export function createRequestFilter({ env, reject }: RequestFilterOptions): Step {
  return (exchange) => {
    const { rawHeaders } = exchange.request;
    const rejection: Rejection | null =
      rawHeaders.length > 2 * MAX_HEADERS
        ? { status: 431, code: 'TooManyHeaders' }
        : filterRequest(exchange, env.appOrigin);
    return rejection && reject(exchange, rejection);
  };
}

/**
 * Returns why a request is rejected, or null. In this order: a path or query that is too long (414), a path that is undecodable or ambiguous
 * or without a `Host` (400), a `Host` other than the configured origin's (421, RFC 9110 section 15.5.20), an unsupported method (405),
 * Remix's internal `_data`, too many parameters and an oversized route discovery (400), a body declared too large (413),
 * and an unsafe request from another origin (403).
 */
export function filterRequest(request: FilteredRequest, appOrigin: string): Rejection | null {
  const { path } = request;
  if (path.length > MAX_PATH_LENGTH) return { status: 414, code: 'PathTooLong' };
  if (request.target.length - path.length > MAX_QUERY_LENGTH) return { status: 414, code: 'QueryTooLong' };
  if (!isPlainPath(path)) return { status: 400, code: 'BadPath' };
  const host = appOrigin.slice(appOrigin.indexOf('//') + 2);
  const requestHost = request.headers.get('host')?.toLowerCase();
  // RFC 9112 section 3.2.
  if (requestHost === undefined) return { status: 400, code: 'NoHost' };
  if (requestHost !== host) return { status: 421, code: 'WrongHost' };
  if (!METHODS.has(request.method)) {
    return { status: 405, code: 'MethodNotAllowed', headers: { allow: [...METHODS].join(', ') } };
  }
  // Remix handles a HEAD request for data as a form's POST, and fails.
  if (request.method === 'HEAD' && path.endsWith('.data')) {
    return { status: 405, code: 'MethodNotAllowed', headers: { allow: 'GET, POST' } };
  }
  if (hasParameter(request.target.slice(path.length), '_data')) return { status: 400, code: 'BadQuery' };
  const isBounded = path === DISCOVERY ? isBoundedDiscovery : hasFewParameters;
  if (!isBounded(request.target)) return { status: 400, code: 'BadQuery' };
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) {
    return bodyTooLarge(MAX_BODY_BYTES);
  }
  if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request.headers, appOrigin)) {
    return { status: 403, code: 'ForeignOrigin' };
  }
  return null;
}

/**
 * Whether an unsafe request comes from this origin. `Sec-Fetch-Site` decides where the browser sends it, else `Origin`;
 * a request with neither is rejected, since every browser sends one with a form or a fetch. A contradicting `Origin` is
 * always rejected: Remix reads it too, and throws for one that is no origin.
 */
export function isSameOrigin(headers: HeaderReader, appOrigin: string): boolean {
  const origin = headers.get('origin');
  if (origin !== null && origin !== appOrigin) return false;
  const site = headers.get('sec-fetch-site');
  return site === null ? origin === appOrigin : site === 'same-origin';
}

/** Every path of the site except those of files. A path that matches needs no decoding. */
const PLAIN_PATH = /^\/(?:[\w-]+(?:\/[\w-]+)*)?$/;

/**
 * Whether a path has one interpretation only: one leading slash, decodable, no control characters, dot segments or
 * fragment.
 */
function isPlainPath(path: string): boolean {
  if (PLAIN_PATH.test(path)) return true;
  if (!path.startsWith('/') || path.startsWith('//') || /[\\#]/.test(path)) return false;
  try {
    const segments = path.split('/').map(decodeURIComponent);
    return segments.every((segment) => segment !== '.' && segment !== '..' && !hasControlCharacter(segment));
  } catch {
    return false;
  }
}

/** Whether a query has a parameter, as routes read it: percent-encoded or not. */
function hasParameter(query: string, name: string): boolean {
  return query !== '' && new URLSearchParams(query).has(name);
}

function hasFewParameters(target: string): boolean {
  return target.split('&', MAX_PARAMETERS + 1).length <= MAX_PARAMETERS;
}

/** The cost of a discovery grows with the number of path segments, in all and per path. */
function isBoundedDiscovery(target: string): boolean {
  if (target.length > MAX_DISCOVERY_LENGTH) return false;
  const depths = target.split(/[?&]/).map((parameter) => parameter.split(/\/|%2f/i).length);
  const segments = depths.reduce((sum, depth) => sum + depth, 0);
  return segments <= MAX_DISCOVERY_SEGMENTS && Math.max(...depths) <= MAX_DISCOVERY_DEPTH + 1;
}

/** Whether `text` contains a C0 control character or DEL. */
export function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
