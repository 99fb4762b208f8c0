import { parseSetCookie } from 'cookie';
import type { ResponseCookies } from '../../../app/server/cookies/cookie-jar.ts';

/** What a browser keeps of one site's cookies, by name; ages are not kept, so that tests decide what is sent. */
export type CookieStore = {
  cookies: Map<string, string>;
  request(path?: string): Request;
  receive(jar: ResponseCookies): void;
  /** A browser that holds what this one does now: another tab, or whoever copied the cookies. */
  copy(): CookieStore;
};

export function createCookieStore(cookies = new Map<string, string>()): CookieStore {
  return {
    cookies,
    request(path = '/') {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      return new Request(new URL(path, 'http://localhost:3000'), { headers: cookie ? { cookie } : {} });
    },
    receive(jar) {
      for (const line of jar.lines()) {
        const { name, value, maxAge } = parseSetCookie(line, { decode: (octets) => octets });
        if (maxAge === 0) cookies.delete(name);
        else cookies.set(name, value ?? '');
      }
    },
    copy: () => createCookieStore(new Map(cookies)),
  };
}
