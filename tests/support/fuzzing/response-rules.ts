/** What no answer of the site may be, whatever was asked. */

import type { RawRequest, RawResponse } from '../http/raw-request.ts';
import type { Stack } from '../processes/stack.ts';
import { MARKUP } from './fuzz-values.ts';

/** Remix's own words for a 405 tell the route's name, which the address tells too. */
const INTERNAL =
  /\bat .*\.(?:js|ts):\d+|node_modules|file:\/\/|\b\w*Error: (?!You made a POST request)|root:x:0/;

const READS_SESSION = /^\/(?:auth|api\/graphql|api\/identity|preferences)\b/;

/** What is wrong with the answer to a request, in words; null: nothing. */
export function findViolation(request: RawRequest, response: RawResponse, stack: Stack): string | null {
  const { status, headers, body } = response;
  const location = headers.location ?? '/';
  const isHtml = headers['content-type']?.startsWith('text/html') ?? false;
  const policy = String(headers['content-security-policy']);
  const cacheControl = headers['cache-control'] ?? '';
  const faults: [boolean, string][] = [
    [status < 200 || status >= 500, `status ${status}`],
    [!/^[\w-]{36}$/.test(String(headers['x-request-id'])), 'no request id'],
    [headers['x-content-type-options'] !== 'nosniff', 'no nosniff'],
    [headers['x-frame-options'] !== 'DENY', 'can be framed'],
    [headers['referrer-policy'] === undefined, 'no Referrer-Policy'],
    [!/default-src '(none|self)'/.test(policy) || policy.includes('unsafe-'), `policy ${policy}`],
    [isPersonal(request, response) && !/\bno-store\b/.test(cacheControl), `may be kept: ${cacheControl}`],
    [cacheControl === '', 'no Cache-Control'],
    ['set-cookie' in headers && !/\bprivate\b/.test(cacheControl), 'a cookie that caches may keep'],
    [headers['access-control-allow-origin'] !== undefined, 'open to other origins'],
    [headers['x-powered-by'] !== undefined || headers.server !== undefined, 'says what it is made of'],
    [!isOwn(location, stack), `leads to ${location}`],
    [request.method === 'HEAD' && body !== '', 'a body for HEAD'],
    [status === 405 && headers.allow === undefined, 'no Allow'],
    [status === 429 && !/^\d+$/.test(headers['retry-after'] ?? ''), 'no Retry-After'],
    [INTERNAL.test(body), 'something internal'],
    [body.includes(process.cwd()), 'a path on disk'],
    [isHtml && MARKUP.some((markup) => body.includes(markup)), 'markup as it came'],
  ];
  return faults.find(([isFault]) => isFault)?.[1] ?? null;
}

/** Whether the answer depends on who asks, or is a refusal. */
function isPersonal({ path, headers: sent }: RawRequest, { status, headers }: RawResponse): boolean {
  // The language of a first visit, in a cookie of its own, is no secret.
  const setsSecret = headers['set-cookie']?.some((line) => !/^(?:locale|theme)=/.test(line)) ?? false;
  if (setsSecret || status >= 400) return true;
  const isDocument = /html|x-script/.test(headers['content-type'] ?? '');
  return READS_SESSION.test(path) || (isDocument && /__Host-session=/.test(sent?.cookie ?? ''));
}

/** On the site, or at the hosted login, which the configuration names. */
function isOwn(location: string, { site, cloud }: Stack): boolean {
  const { origin } = new URL(location, site.origin);
  return origin === site.origin || origin === cloud.origin;
}
