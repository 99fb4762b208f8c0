/** The head that every response has: the request id, security headers, cookies, and safe defaults for caching. */
import type { Env } from '../config/env.ts';
import type { Exchange, SiteResponse } from './exchange.ts';
import { baseHeaders, INERT_POLICY } from './security-headers.ts';

/** Names and values in turn, which `writeHead` takes with the least work; several `Set-Cookie` lines are one value. */
export type Head = (string | readonly string[])[];

type HeadSource = Pick<Exchange, 'requestId' | 'cookies' | 'vary'>;

/** Creates the function that makes the head of a response complete. */
export function createHeadCompletion(env: Pick<Env, 'appOrigin'>) {
  const base = baseHeaders(env);
  return (
    { requestId, cookies, vary }: HeadSource,
    status: number,
    headers: SiteResponse['headers'],
  ): Head => {
    const complete: Record<string, string | readonly string[]> = {
      'x-request-id': requestId,
      ...base,
      'content-security-policy': INERT_POLICY,
      ...headers,
    };
    const lines = [...new Set([...[headers['set-cookie'] ?? []].flat(), ...cookies.lines()])];
    if (lines.length > 0) complete['set-cookie'] = lines;
    else delete complete['set-cookie'];
    // A shared cache must never store a response that sets a cookie.
    if (lines.length > 0 || !('cache-control' in headers)) complete['cache-control'] = 'private, no-store';
    if (vary.length > 0) complete.vary = [headers.vary ?? [], ...vary].flat().join(', ');
    if (status === 405 && !('allow' in headers)) complete.allow = 'GET, HEAD';
    return Object.entries(complete).flat(1);
  };
}
