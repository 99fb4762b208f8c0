/** The status of requests that the site must reject for their form, whatever their address and their visitor are. */
import type { RawRequest, RawResponse } from '../http/raw-request.ts';
import { limits } from './limits.ts';

const KIBIBYTE = 1024;
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
  const possible = requiredStatuses(request, origin);
  if (possible === 'unknown') return null;
  if (possible.length > 0) {
    return possible.includes(status) ? null : `status ${status} instead of ${possible.join(' or ')}`;
  }
  const isUnfounded = ONLY_IF_REQUIRED.includes(status) || !hasCondition(request, status);
  return isUnfounded ? `status ${status} without a reason` : null;
}

function hasCondition({ headers = {} }: RawRequest, status: number): boolean {
  return CONDITIONS[status]?.some((name) => name in headers) ?? true;
}

/** Returns the statuses of which a request must get one for its form. None if its form is allowed. */
function requiredStatuses(request: RawRequest, origin: string): readonly number[] | 'unknown' {
  const { method = 'GET', path: target, headers = {} } = request;
  const [path = ''] = target.split('?', 1);
  if (headLength(request, 'latin1') > NEARLY_TOO_LARGE.to) return [431];
  // Node's client encodes the head as it does the body, so that some characters may have two bytes.
  if (headLength(request, 'utf8') > NEARLY_TOO_LARGE.from) return 'unknown';
  // Probes name no host.
  if (/^\/(?:healthz|readyz)$/.test(path) && isRead(method)) return [];
  const isUnknownMethod = !isRead(method) && method !== 'POST';
  const isForeign = headers.host !== undefined && headers.host !== new URL(origin).host;
  const rejections: [isBroken: boolean, statuses: readonly number[]][] = [
    [Object.keys(headers).length > limits.headers, [431]],
    [path.length > limits.path || target.length - path.length > limits.query, [414]],
    [isAmbiguous(path), [400]],
    [isForeign, [421]],
    [isUnknownMethod || (method === 'HEAD' && path.endsWith('.data')), [405]],
    [new URLSearchParams(target.slice(path.length)).has('_data'), [400]],
    [target.split('&').length > limits.parameters, [400]],
    [Number(headers['content-length'] ?? 0) > maxBodyBytes(path, method), [413]],
    [!isRead(method) && !isUnknownMethod && !isSameOrigin(headers, origin), [403]],
  ];
  const statuses = [...new Set(rejections.flatMap(([isBroken, possible]) => (isBroken ? possible : [])))];
  if (path !== '/__manifest') return statuses;
  // The discovery of routes has limits of its own.
  return statuses.length === 0 ? 'unknown' : [...statuses, 400];
}

/** The body of a GET request is not read. */
function maxBodyBytes(path: string, method: string): number {
  return isRead(method) || /graphql/i.test(path) ? limits.operationBody : limits.form;
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
  // A page that withholds its referrer. No script can forge the other header.
  if (sender === 'null' && site?.trim() === 'same-origin') return true;
  return sender === origin && (site === undefined ? 'origin' in headers : site.trim() === 'same-origin');
}

function headLength({ path, headers = {} }: RawRequest, encoding: 'latin1' | 'utf8'): number {
  const lines = Object.entries(headers).map(
    ([name, value]) => name.length + Buffer.byteLength(value, encoding) + 4,
  );
  return lines.reduce((sum, length) => sum + length, path.length);
}
