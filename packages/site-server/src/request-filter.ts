/**
 * Decides which requests the site accepts, before any router parses them. It checks the request as received, so that
 * the check and a parser cannot disagree.
 */
import type { HeaderReader, Step } from './exchange.ts';
import { bodyTooLarge, MAX_BODY_BYTES, type Rejection, wrongMethod } from './rejection.ts';
import type { Reject, ServerRules } from './rules.ts';

/**
 * The part of a request that the filter checks. `target` is the path and query as received, `path` its part before the
 * first `?`. `authority` is the host in the absolute form of a target.
 */
export type FilteredRequest = {
  method: string;
  target: string;
  path: string;
  headers: HeaderReader;
  authority?: string | null;
};

/** Ten times the longest path of the site's own pages. */
export const MAX_PATH_LENGTH = 1024;

/** Page tokens of the data API have up to 8,192 characters. */
export const MAX_QUERY_LENGTH = 8192 + 512;

/**
 * Parameters of a query. Remix takes the values of `index` out of the query and appends them one by one, so that the cost
 * grows with the square of their number.
 */
export const MAX_PARAMETERS = 100;

/** Lines of the head. Browsers send some twenty. Every connection may hold an unfinished head with so many. */
export const MAX_HEADERS = 100;

/**
 * The address from which Remix's client requests the manifest of routes that it has not loaded. Within these limits it
 * can request all pages of the site at once.
 */
const DISCOVERY = '/__manifest';
const MAX_DISCOVERY_LENGTH = 2048;
const MAX_DISCOVERY_SEGMENTS = 256;
/** Segments of one path; those of the site's own pages have two. Remix matches every prefix of a path too. */
const MAX_DISCOVERY_DEPTH = 8;

const SAFE_METHODS = new Set(['GET', 'HEAD']);
const METHODS = new Set([...SAFE_METHODS, 'POST']);

type RequestFilterOptions = { rules: FilterRules; reject: Reject };

type FilterRules = Pick<ServerRules, 'appOrigin' | 'isSameOrigin' | 'maxBodyBytes'>;

/** Creates the step that rejects too many headers (431, RFC 6585 section 5), and what `filterRequest` does. */
export function createRequestFilter({ rules, reject }: RequestFilterOptions): Step {
  return (exchange) => {
    const { rawHeaders } = exchange.request;
    const rejection: Rejection | null =
      rawHeaders.length > 2 * MAX_HEADERS
        ? { status: 431, code: 'TooManyHeaders' }
        : filterRequest(exchange, rules);
    return rejection && reject(exchange, rejection);
  };
}

/**
 * Returns why a request is rejected, or null. In this order: a path or query that is too long (414), a path that is undecodable or ambiguous
 * or without a `Host` (400), a `Host` other than the configured origin's (421, RFC 9110 section 15.5.20), an unsupported method (405),
 * Remix's internal `_data`, too many parameters and an oversized route discovery (400), a body declared too large (413),
 * and an unsafe request from another origin (403).
 */
export function filterRequest(request: FilteredRequest, rules: FilterRules): Rejection | null {
  const { path } = request;
  const { maxBodyBytes = MAX_BODY_BYTES } = rules;
  if (path.length > MAX_PATH_LENGTH) return { status: 414, code: 'PathTooLong' };
  if (request.target.length - path.length > MAX_QUERY_LENGTH) return { status: 414, code: 'QueryTooLong' };
  // `OPTIONS *` is about the server (RFC 9112 section 3.2.4).
  if (!isPlainPath(path) && !(path === '*' && request.method === 'OPTIONS')) {
    return { status: 400, code: 'BadPath' };
  }
  const host = request.headers.get('host');
  // RFC 9112 section 3.2.
  if (host === null) return { status: 400, code: 'NoHost' };
  // Several hosts are joined, and match none.
  const authority = host.includes(',') ? host : (request.authority ?? host);
  if (!isOwnAuthority(authority, rules.appOrigin)) return { status: 421, code: 'WrongHost' };
  if (!METHODS.has(request.method)) {
    return wrongMethod([...METHODS].join(', '));
  }
  // Remix handles a HEAD request for data as a form's POST, and fails.
  if (request.method === 'HEAD' && path.endsWith('.data')) {
    return wrongMethod('GET, POST');
  }
  if (hasParameter(request.target.slice(path.length), '_data')) return { status: 400, code: 'BadQuery' };
  const isBounded = path === DISCOVERY ? isBoundedDiscovery : hasFewParameters;
  if (!isBounded(request.target)) return { status: 400, code: 'BadQuery' };
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) {
    return bodyTooLarge(maxBodyBytes);
  }
  if (!SAFE_METHODS.has(request.method) && !rules.isSameOrigin(request.headers)) {
    return { status: 403, code: 'ForeignOrigin' };
  }
  return null;
}

/** Whether a host is that of the site, with or without the default port (RFC 9110 section 4.2.3). */
function isOwnAuthority(authority: string, appOrigin: string): boolean {
  const [scheme, host] = appOrigin.split('://');
  const own = /:\d+$/.test(appOrigin) ? [host] : [host, `${host}:${scheme === 'https' ? 443 : 80}`];
  return own.includes(authority.toLowerCase());
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
    return segments.every(
      (segment) => segment !== '.' && segment !== '..' && !CONTROL_CHARACTER.test(segment),
    );
  } catch {
    return false;
  }
}

/** U+0000 to U+001F, and DEL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/;

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
