/**
 * The gate in front of every route: what may come in at all. It judges the request as it stands on the wire, before
 * any router has read it, so that no two readers can disagree. Pure: the caller answers.
 */
import type { IncomingMessage } from 'node:http';

export type Refusal = {
  status: 400 | 403 | 405 | 413 | 414 | 421;
  /** For the log and the JSON answer. */
  code: string;
  headers?: Record<string, string>;
};

export type GateRequest = {
  method: string;
  /** The request target as received: path and query. */
  target: string;
  /** By lower-case name; null when absent. */
  header(name: string): string | null;
};

/** The request as the gate judges it. A header given twice says both, which is neither of them. */
export function gateRequestOf(request: IncomingMessage): GateRequest {
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    header: (name) => headerOf(request.rawHeaders, name),
  };
}

/** The gate asks for a few of many headers: to collect them all, as Node would, takes longer than to look. */
function headerOf(rawHeaders: readonly string[], name: string): string | null {
  let found: string | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length !== name.length || given.toLowerCase() !== name) continue;
    const value = rawHeaders[at + 1] ?? '';
    found = found === null ? value : `${found}, ${value}`;
  }
  return found;
}

/** What a form of this site can hold at most, with room to spare; the data API's own limit is its route's. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Ten times the longest path of the site. What is longer is at no page, and would only fill the log. */
export const MAX_PATH_LENGTH = 1024;

/** Where Remix's client asks for routes that it does not know yet, and what it can ask for of thirty pages. */
const DISCOVERY = '/__manifest';
const MAX_DISCOVERY_LENGTH = 2048;
const MAX_DISCOVERY_SEGMENTS = 256;
/** Of one path: those of the site have two. Remix matches its beginnings too, each anew. */
const MAX_DISCOVERY_DEPTH = 8;

const SAFE_METHODS = new Set(['GET', 'HEAD']);
const METHODS = new Set([...SAFE_METHODS, 'POST']);

/**
 * Why a request is refused, or null. In this order: a path that is too long (414), undecodable or ambiguous (400), a
 * `Host` other than the configured origin's (421, RFC 9110 section 15.5.20), a method that is not known there (405),
 * Remix's internal `_data` and a discovery of more than there is (400), a body known to be too large (413), and an
 * unsafe request that did not come from the site's own pages (403).
 */
export function judgeRequest(request: GateRequest, appOrigin: string): Refusal | null {
  const path = request.target.split('?', 1)[0] ?? '';
  if (path.length > MAX_PATH_LENGTH) return { status: 414, code: 'PathTooLong' };
  if (!isPlainPath(path)) return { status: 400, code: 'BadPath' };
  const host = appOrigin.slice(appOrigin.indexOf('//') + 2);
  if (request.header('host')?.toLowerCase() !== host) {
    return { status: 421, code: 'WrongHost' };
  }
  if (!METHODS.has(request.method)) {
    return { status: 405, code: 'MethodNotAllowed', headers: { allow: [...METHODS].join(', ') } };
  }
  // Remix takes a HEAD of what it sends to scripts for a form's post, and fails.
  if (request.method === 'HEAD' && path.endsWith('.data')) {
    return { status: 405, code: 'MethodNotAllowed', headers: { allow: 'GET, POST' } };
  }
  if (/[?&]_data=/.test(request.target)) return { status: 400, code: 'BadQuery' };
  if (path === DISCOVERY && !isBoundedDiscovery(request.target)) return { status: 400, code: 'BadQuery' };
  if (Number(request.header('content-length') ?? 0) > MAX_BODY_BYTES) {
    return { status: 413, code: 'BodyTooLarge' };
  }
  if (!SAFE_METHODS.has(request.method) && !isSameOrigin(request, appOrigin)) {
    return { status: 403, code: 'ForeignOrigin' };
  }
  return null;
}

/**
 * Whether an unsafe request comes from this very origin. `Sec-Fetch-Site` decides where a browser sends it, `Origin`
 * where it does not; a request with neither is not from a browser's form or script and is not let in. An `Origin` that
 * says otherwise is never let in: Remix reads it too, and fails on one that is no origin.
 */
export function isSameOrigin(request: Pick<GateRequest, 'header'>, appOrigin: string): boolean {
  const origin = request.header('origin');
  if (origin !== null && origin !== appOrigin) return false;
  const site = request.header('sec-fetch-site');
  return site === null ? origin === appOrigin : site === 'same-origin';
}

/** As all paths of the site are, but for its files. */
const PLAIN_PATH = /^(?:\/[\w-]+)+$/;

/** One reading only: starts with one slash, decodes, and has neither control characters, dot segments nor a fragment. */
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

/** The paths that it names are matched part by part: what counts is how many there are in all, and in each. */
function isBoundedDiscovery(target: string): boolean {
  if (target.length > MAX_DISCOVERY_LENGTH) return false;
  const depths = target.split(/[?&]/).map((parameter) => parameter.split(/\/|%2f/i).length);
  const segments = depths.reduce((sum, depth) => sum + depth, 0);
  return segments <= MAX_DISCOVERY_SEGMENTS && Math.max(...depths) <= MAX_DISCOVERY_DEPTH + 1;
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
