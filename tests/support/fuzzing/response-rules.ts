/** Rules that every response of the site follows, whatever the request was. */
import type { RawRequest, RawResponse } from '../http/raw-request.ts';
import type { Stack } from '../processes/stack.ts';
import { MARKUP } from './fuzz-values.ts';
import { MAX_BODY_BYTES, MAX_SET_COOKIE_LINES } from './limits.ts';
import { findWrongStatus } from './status-rules.ts';

/** Internal details. Remix's message for a 405 is allowed: it names the route, which the path reveals anyway. */
const INTERNAL_DETAIL =
  /\bat .*\.(?:js|ts):\d+|node_modules|file:\/\/|Error: (?!You made a POST request)|root:x:0/;

const READS_SESSION = /^\/(?:auth|api\/graphql|api\/identity|preferences)\b/;

/** Returns a description of each rule that a response violates. */
export function findViolations(
  request: RawRequest,
  response: RawResponse,
  stack: Pick<Stack, 'site' | 'cloud'>,
): string[] {
  const { status, headers, body } = response;
  const location = headers.location ?? '/';
  const isHtml = headers['content-type']?.startsWith('text/html') ?? false;
  const policy = String(headers['content-security-policy']);
  const cacheControl = headers['cache-control'] ?? '';
  const wrongStatus = findWrongStatus(request, response, stack.site.origin);
  const rules: [isViolated: boolean, description: string][] = [
    [status < 200 || (status >= 500 && !isOverload(response)), `status ${status}`],
    [wrongStatus !== null, wrongStatus ?? ''],
    [!/^[\w-]{36}$/.test(String(headers['x-request-id'])), 'no request id'],
    [headers['x-content-type-options'] !== 'nosniff', 'no nosniff'],
    [headers['x-frame-options'] !== 'DENY', 'can be framed'],
    [headers['referrer-policy'] === undefined, 'no Referrer-Policy'],
    [!/default-src '(none|self)'/.test(policy) || policy.includes('unsafe-'), `policy ${policy}`],
    [isPersonal(request, response) && !/\bno-store\b/.test(cacheControl), `can be cached: ${cacheControl}`],
    [cacheControl === '', 'no Cache-Control'],
    ['set-cookie' in headers && !/\bprivate\b/.test(cacheControl), 'a cookie in a cacheable response'],
    [headers['access-control-allow-origin'] !== undefined, 'readable by other origins'],
    [headers['x-powered-by'] !== undefined || headers.server !== undefined, 'names the server software'],
    [!isAllowedTarget(location, stack), `redirects to ${location}`],
    [request.method === 'HEAD' && body !== '', 'a body for HEAD'],
    [status === 405 && headers.allow === undefined, 'no Allow header'],
    [(headers['set-cookie']?.length ?? 0) > MAX_SET_COOKIE_LINES, 'too many Set-Cookie lines'],
    [isTooLarge(request, response), `a body of ${body.length} characters`],
    [isEmptyError(request, response), `an empty body for the error ${status}`],
    [isHtml && hasOddValue(request, response), 'a value that does not exist'],
    [status === 429 && !/^\d+$/.test(headers['retry-after'] ?? ''), 'no Retry-After header'],
    [INTERNAL_DETAIL.test(body), 'an internal detail'],
    [body.includes(process.cwd()), 'a file path of the server'],
    [isHtml && MARKUP.some((markup) => body.includes(markup)), 'unescaped markup'],
  ];
  return rules.flatMap(([isViolated, description]) => (isViolated ? [description] : []));
}

/** Whether the response depends on the visitor or is an error. */
function isPersonal({ path, headers: sent }: RawRequest, { status, headers }: RawResponse): boolean {
  // The cookies of the language and the theme contain nothing personal.
  const setsSecret = headers['set-cookie']?.some((line) => !/^(?:locale|theme)=/.test(line)) ?? false;
  if (setsSecret || status >= 400) return true;
  const isDocument = /html|x-script/.test(headers['content-type'] ?? '');
  return READS_SESSION.test(path) || (isDocument && /(?:^|;)[ \t]*session=/.test(sent?.cookie ?? ''));
}

/** The only errors of the server that a request may cause: there is too much to do, for a known time. */
function isOverload({ status, headers }: RawResponse): boolean {
  return status === 503 && /^\d+$/.test(headers['retry-after'] ?? '');
}

/** Files may be large. */
function isTooLarge({ path }: RawRequest, { status, body }: RawResponse): boolean {
  const isFile = path.startsWith('/assets/') && status < 300;
  return !isFile && Buffer.byteLength(body) > MAX_BODY_BYTES;
}

function isEmptyError({ method }: RawRequest, { status, body }: RawResponse): boolean {
  return status >= 400 && body === '' && method !== 'HEAD';
}

/**
 * Whether a document shows a value that was missing or no number. The request, and messages, may contain these words
 * themselves.
 */
function hasOddValue(request: RawRequest, { body }: RawResponse): boolean {
  if (request.path.includes('test-message')) return false;
  const odd = /[">\s](?:undefined|NaN|\[object Object\])["<\s]/.exec(
    body.replace(/<script.*?<\/script>/gs, ''),
  );
  return odd !== null && !JSON.stringify(request).includes(odd[0].slice(1, -1));
}

/** Whether the target is on the site or at the hosted login. */
function isAllowedTarget(location: string, { site, cloud }: Pick<Stack, 'site' | 'cloud'>): boolean {
  if (!URL.canParse(location, site.origin)) return false;
  const { origin } = new URL(location, site.origin);
  return origin === site.origin || origin === cloud.origin;
}
