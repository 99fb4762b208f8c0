import { parseSetCookie } from 'cookie';
import type { ResponseCookies } from '../../../packages/cognito-session/src/cookies/cookie-jar.ts';

/** A browser's cookies for one site, by name. Lifetimes are ignored so that tests decide which cookies are sent. */
export type CookieStore = {
  cookies: Map<string, string>;
  /** Returns the value of the `Cookie` header, which is empty without cookies. */
  header(): string;
  /** Returns a request that carries the cookies. */
  request(path?: string): Request;
  /** Applies the cookies that a response sets or deletes. */
  receive(jar: Pick<ResponseCookies, 'lines'>): void;
  /** Returns an independent store with the same cookies. */
  copy(): CookieStore;
};

export function createCookieStore(cookies = new Map<string, string>()): CookieStore {
  const header = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return {
    cookies,
    header,
    request(path = '/') {
      const cookie = header();
      return new Request(new URL(path, 'http://localhost:3000'), { headers: cookie ? { cookie } : {} });
    },
    receive(jar) {
      for (const line of jar.lines()) {
        const { name, value, maxAge } = parseSetCookie(line, { decode: (value) => value });
        if (maxAge === 0) cookies.delete(name);
        else cookies.set(name, value ?? '');
      }
    },
    copy: () => createCookieStore(new Map(cookies)),
  };
}
