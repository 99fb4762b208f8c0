import { parseCookie, stringifySetCookie } from 'cookie';
import type { CloudRequest } from './exchange.ts';

/** A cookie of the request. */
export function readCookie(request: CloudRequest, name: string): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[name];
}

/** A `Set-Cookie` for the hosted login alone; `maxAge` is in seconds. Not `Secure`: the local cloud speaks plain http. */
export function serializeCookie(name: string, value: string, { maxAge }: { maxAge: number }): string {
  return stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax' });
}
