/**
 * The gate in front of every route: what may come in at all. It judges the request as it stands on the wire, before
 * any router has read it, so that no two readers can disagree. Pure: the caller answers.
 */

export type Refusal = {
  status: 400 | 403 | 405 | 413 | 421;
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

/** What a form of this site can hold at most, with room to spare; the data API's own limit is its route's. */
export const MAX_BODY_BYTES = 1024 * 1024;

const SAFE_METHODS = new Set(['GET', 'HEAD']);
const METHODS = new Set([...SAFE_METHODS, 'POST']);

/**
 * Why a request is refused, or null. In this order: an undecodable or ambiguous path (400), a `Host` other than the
 * configured origin's (421, RFC 9110 section 15.5.20), an unknown method (405), Remix's internal `_data` (400), a body
 * known to be too large (413), and an unsafe request that did not come from the site's own pages (403).
 */
export function judgeRequest(request: GateRequest, appOrigin: string): Refusal | null {
  if (!isPlainPath(request.target)) return { status: 400, code: 'BadPath' };
  if (request.header('host')?.toLowerCase() !== new URL(appOrigin).host) {
    return { status: 421, code: 'WrongHost' };
  }
  if (!METHODS.has(request.method)) {
    return { status: 405, code: 'MethodNotAllowed', headers: { allow: [...METHODS].join(', ') } };
  }
  if (/[?&]_data=/.test(request.target)) return { status: 400, code: 'BadQuery' };
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
 * where it does not; a request with neither is not from a browser's form or script and is not let in.
 */
export function isSameOrigin(request: Pick<GateRequest, 'header'>, appOrigin: string): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  return request.header('origin') === appOrigin;
}

/** One reading only: starts with one slash, decodes, and has neither control characters nor dot segments. */
function isPlainPath(target: string): boolean {
  const path = target.split('?', 1)[0] ?? '';
  if (!path.startsWith('/') || path.startsWith('//') || path.includes('\\')) return false;
  try {
    const segments = path.split('/').map(decodeURIComponent);
    return segments.every((segment) => segment !== '.' && segment !== '..' && !hasControlCharacter(segment));
  } catch {
    return false;
  }
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}
