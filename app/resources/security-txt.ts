import type { LoaderFunctionArgs } from '@remix-run/node';
import { errorResponse } from '../server/errors/error-response.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days until `Expires`, counted from the day of the request. RFC 9116 section 2.5.5 recommends less than a year. */
const VALID_DAYS = 180;

/**
 * security.txt (RFC 9116): where to report vulnerabilities. Responds with 404 if `SECURITY_CONTACT` is not set.
 */
export function loader({ context }: LoaderFunctionArgs): Response {
  const { env, requestId } = context;
  if (env.securityContact === null) return errorResponse({ status: 404, code: 'NotFound' }, requestId);
  return new Response(renderSecurityTxt(env.securityContact, env.appOrigin, Date.now()), {
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' },
  });
}

/** `now` is in milliseconds since the epoch. `Canonical` must be an https address (RFC 9116 section 2.5.2). */
function renderSecurityTxt(contact: string, origin: string, now: number): string {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${new Date(today + VALID_DAYS * DAY_MS).toISOString()}`,
    'Preferred-Languages: en',
    ...(origin.startsWith('https:') ? [`Canonical: ${origin}/.well-known/security.txt`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
