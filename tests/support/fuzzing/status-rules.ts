/** The status of requests that the site must reject for their form, whatever their address and their visitor are. */
import type { RawRequest, RawResponse } from '../http/raw-request.ts';

const KIBIBYTE = 1024;
const MAX_PATH_LENGTH = KIBIBYTE;
const MAX_BODY_BYTES = KIBIBYTE * KIBIBYTE;
/** Node counts the bytes of a head in its own way, so that a head of nearly 32 KiB may be rejected or not. */
const NEARLY_TOO_LARGE = { from: 30 * KIBIBYTE, to: 36 * KIBIBYTE };

/** Statuses of requests that are not looked at any further. No other request may get one of them. */
const ONLY_IF_REQUIRED = [414, 421, 431];

/** The headers without which a status is wrong. */
const CONDITIONS: Readonly<Record<number, readonly string[]>> = {
  206: ['range'],
  304: ['if-none-match', 'if-modified-since'],
  412: ['if-match', 'if-unmodified-since'],
  416: ['range'],
};

/** Returns why the status of a response is wrong, or null if it is right or cannot be told from the request alone. */
export function findWrongStatus(
  request: RawRequest,
  { status }: Pick<RawResponse, 'status'>,
  origin: string,
): string | null {
  const required = requiredStatus(request, origin);
  if (required === 'unknown') return null;
  if (required !== null) return status === required ? null : `status ${status} instead of ${required}`;
  const isUnfounded = ONLY_IF_REQUIRED.includes(status) || !hasCondition(request, status);
  return isUnfounded ? `status ${status} without a reason` : null;
}

function hasCondition({ headers = {} }: RawRequest, status: number): boolean {
  return CONDITIONS[status]?.some((name) => name in headers) ?? true;
}

/** Returns the status that a request must get for its form. Null if its form is allowed. */
function requiredStatus(request: RawRequest, origin: string): number | null | 'unknown' {
  const { method = 'GET', path: target, headers = {} } = request;
  const [path = ''] = target.split('?', 1);
  const head = headLength(request);
  if (head > NEARLY_TOO_LARGE.to) return 431;
  if (head > NEARLY_TOO_LARGE.from) return 'unknown';
  // Probes name no host.
  if (/^\/(?:healthz|readyz)$/.test(path) && isRead(method)) return null;
  if (path.length > MAX_PATH_LENGTH) return 414;
  if (isAmbiguous(path)) return 400;
  if (headers.host !== undefined && headers.host !== new URL(origin).host) return 421;
  if (!isRead(method) && method !== 'POST') return 405;
  if (method === 'HEAD' && path.endsWith('.data')) return 405;
  if (/[?&]_data=/.test(target)) return 400;
  if (path === '/__manifest') return 'unknown';
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) return 413;
  return isRead(method) || isSameOrigin(headers, origin) ? null : 403;
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a path can be read in two ways, or not at all. */
function isAmbiguous(path: string): boolean {
  if (path.startsWith('//') || path.includes('\\')) return true;
  try {
    const segments = path.split('/').map(decodeURIComponent);
    return segments.some((segment) => segment === '.' || segment === '..' || hasControlCharacter(segment));
  } catch {
    return true;
  }
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < ' ' || character === '\u007f');
}

/** Whether the browser says that a page of the site sends this request. */
function isSameOrigin(headers: Record<string, string>, origin: string): boolean {
  const { origin: sender = origin, 'sec-fetch-site': site } = headers;
  return sender === origin && (site === undefined ? 'origin' in headers : site.trim() === 'same-origin');
}

function headLength({ path, headers = {} }: RawRequest): number {
  const lines = Object.entries(headers).map(([name, value]) => name.length + value.length + 4);
  return lines.reduce((sum, length) => sum + length, path.length);
}
