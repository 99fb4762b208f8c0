/** Whether a cache sends what the site itself would have sent: the page of this address, theme and visitor. */
import { filterHeaders, type MixedRequest } from './mixed-requests.ts';
import type { RawClient, ReceivedResponse } from './raw-exchange.ts';

/** Names of the visitors who sign in for the comparison. */
export const memberEmail = (index: number) => `edge-member-${index}@example.com`;
const MEMBER = /edge-member-\d+@example\.com/g;

/** What tells one response from another. Request ids, nonces and times differ between two requests. */
type Page = {
  status: number;
  location: string;
  etag: string;
  cacheControl: string;
  cookies: string;
  canonical: string;
  language: string;
  theme: string;
  offer: string;
  members: string;
  hasNotice: boolean;
};

function describePage({ status, headers, body }: ReceivedResponse): Page {
  const find = (pattern: RegExp) => pattern.exec(body)?.[1] ?? '';
  return {
    status,
    location: headers.location ?? '',
    etag: headers.etag ?? '',
    cacheControl: headers['cache-control'] ?? '',
    cookies: (headers['set-cookie'] ?? '')
      .split('\n')
      .map((line) => line.split('=', 1)[0])
      .join(),
    canonical: find(/<link rel="canonical" href="([^"]*)"/),
    language: find(/<html lang="([^"]*)"/),
    theme: find(/ data-theme="([^"]*)"/),
    offer: find(/<aside [^>]*lang="([\w-]+)"/),
    members: [...new Set(body.match(MEMBER))].toSorted().join(),
    hasNotice: /role="(?:status|alert)"/.test(body),
  };
}

/** Statuses with which a cache rejects a request itself that the site would have answered otherwise. */
const REJECTIONS = new Set([400, 403, 405, 412, 413, 414, 421, 431, 494, 501, 505]);

export type Verdict = 'same' | 'rejected' | { expected: Page; received: Page };

/**
 * Compares the response of the cache with that of the site. A request that the cache rejects as malformed is neither the
 * same nor foreign.
 */
function comparePages(fromCache: ReceivedResponse, fromSite: ReceivedResponse): Verdict {
  const [received, expected] = [describePage(fromCache), describePage(fromSite)];
  if (JSON.stringify(received) === JSON.stringify(expected)) return 'same';
  // The tag covers the page. A cache need not know every form of a conditional request.
  const statuses = [received.status, expected.status];
  if (statuses.every((status) => status === 200 || status === 304) && received.etag !== '') {
    if (received.status !== expected.status && received.etag === expected.etag) return 'same';
  }
  return REJECTIONS.has(received.status) && received.members === '' ? 'rejected' : { expected, received };
}

export type Clients = { cache: RawClient; site: RawClient };

/**
 * Sends the request to both, and to the site also in the other form that the cache may read it in, such as without what
 * the cache ignores.
 */
export async function sendToBoth(
  { cache, site }: Clients,
  request: MixedRequest,
  otherReading: (request: MixedRequest) => MixedRequest = (same) => same,
): Promise<{ verdict: Verdict; response: ReceivedResponse }> {
  const [response, expected] = await Promise.all([cache.send(request), site.send(request)]);
  const verdict = comparePages(response, expected);
  if (verdict === 'same' || otherReading(request) === request) return { verdict, response };
  const other = comparePages(response, await site.send(otherReading(request)));
  return { verdict: other === 'same' ? 'same' : verdict, response };
}

/** Varnish sends no body with a GET request, and fetches GET for HEAD. */
export function asVarnishReads(request: MixedRequest): MixedRequest {
  if (request.body === '' || request.method !== 'GET') return request;
  return {
    ...request,
    body: '',
    headers: filterHeaders(request.headers, (name) => name !== 'content-length'),
  };
}

/** nginx reads the first of several lines of a header, and drops control characters. It ignores the host of a target. */
export function asNginxReads(request: MixedRequest): MixedRequest {
  const seen = new Set(['x-meta']);
  const isRead = (name: string) => {
    if (seen.has(name) && name !== 'cookie') return false;
    seen.add(name);
    return true;
  };
  const path = request.path.replace(/^http:\/\/[^/]+/, '');
  return { ...request, path, headers: filterHeaders(request.headers, isRead) };
}

/**
 * CloudFront ignores the host of a target, and a question mark without a query. A cookie without a value is an empty one
 * for its function, and the site ignores it.
 */
export function asCloudFrontReads(request: MixedRequest): MixedRequest {
  const path = request.path.replace(/^http:\/\/[^/]+/, '').replace(/\?$/, '');
  const withValue = (pair: string) => (/=|^\s*$/.test(pair) ? pair : `${pair}=`);
  const headers = request.headers.map((text, index) =>
    request.headers[index - 1]?.toLowerCase() === 'cookie' && index % 2 === 1
      ? text.split(';').map(withValue).join(';')
      : text,
  );
  return { ...request, path, headers };
}
