import { parseSetCookie } from 'cookie';
import { describe, expect, it } from 'vitest';
import { createCookieStore } from '../../../../tests/support/sign-in/cookie-store.ts';
import {
  deleteChunkedCookie,
  hasChunkedCookie,
  readChunkedCookie,
  writeChunkedCookie,
} from '../../src/cookies/chunked-cookie.ts';
import { createResponseCookies } from '../../src/cookies/cookie-jar.ts';

const NAME = '__Host-session';
const attributes = { httpOnly: true, secure: true, sameSite: 'lax', maxAge: 31_536_000 } as const;

const requestWith = (cookies: Record<string, string>) =>
  createCookieStore(new Map(Object.entries(cookies))).request();

/** The cookies of a browser that sent `before` and received a response that sets `value`. */
function browserAfter(value: string | null, before: Record<string, string> = {}): Record<string, string> {
  const jar = createResponseCookies();
  const request = requestWith(before);
  if (value === null) deleteChunkedCookie(request, jar, NAME, attributes);
  else writeChunkedCookie(request, jar, NAME, value, attributes);
  const browser = createCookieStore(new Map(Object.entries(before)));
  browser.receive(jar);
  return Object.fromEntries(browser.cookies);
}

const text = (length: number) => Array.from({ length }, (_, index) => 'abcdefghij'[index % 10]).join('');

describe('a chunked cookie', () => {
  it.each([0, 1, 3900, 4096, 8000, 27_000])('returns a value of %i characters unchanged', (length) => {
    expect(readChunkedCookie(requestWith(browserAfter(text(length))), NAME)).toBe(text(length));
  });

  // threat-model: T-001
  it('fills eight lines of 4096 bytes and throws a RangeError for a longer value', () => {
    const jar = createResponseCookies();
    const perLine = 4096 - `${NAME}.1=; Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax`.length;
    writeChunkedCookie(requestWith({}), jar, NAME, text(8 * perLine), attributes);
    expect(jar.lines().map((line) => line.length)).toEqual(Array(8).fill(4096));
    expect(() => browserAfter(text(8 * perLine + 1))).toThrow(
      new RangeError('__Host-session needs 9 cookies, the maximum is 8'),
    );
  });

  // threat-model: T-002
  it('deletes surplus chunks when the value shrinks, and can grow again', () => {
    const long = browserAfter(text(11_000));
    expect(Object.keys(long)).toHaveLength(3);
    const short = browserAfter(text(10), long);
    expect(Object.keys(short)).toEqual([NAME]);
    const grown = browserAfter(text(9000), short);
    expect(readChunkedCookie(requestWith(grown), NAME)).toBe(text(9000));
  });

  // threat-model: T-002
  it('ignores and deletes chunks beyond its own', () => {
    const cookies = { ...browserAfter(text(5000)), [`${NAME}.2`]: 'left', [`${NAME}.7`]: 'over' };
    expect(readChunkedCookie(requestWith(cookies), NAME)).toBe(text(5000));
    expect(Object.keys(browserAfter(text(5000), cookies))).toEqual([NAME, `${NAME}.1`]);
  });

  // threat-model: T-003
  it('is shorter when its last chunk is missing', () => {
    const { [`${NAME}.2`]: last = '', ...rest } = browserAfter(text(9000));
    expect(readChunkedCookie(requestWith(rest), NAME)).toBe(text(9000 - last.length));
  });

  it.each(['', '1', '0.x', 'a1.x', '12.x'])(
    'is empty when its first chunk is %j, which does not start with a number of chunks',
    (first) => {
      expect(readChunkedCookie(requestWith({ [NAME]: first, [`${NAME}.1`]: 'y' }), NAME)).toBe('');
    },
  );

  it('is absent when its first chunk is missing', () => {
    const { [NAME]: _, ...rest } = browserAfter(text(12_000));
    expect(readChunkedCookie(requestWith(rest), NAME)).toBeNull();
    expect(hasChunkedCookie(requestWith(rest), NAME)).toBe(true);
    expect(hasChunkedCookie(requestWith({ locale: 'fr' }), NAME)).toBe(false);
  });

  // threat-model: T-003, T-009
  it('uses the first of two cookies with the same name', () => {
    const request = new Request('https://site.example/', {
      headers: { cookie: `${NAME}=1.mine; ${NAME}=1.tossed` },
    });
    expect(readChunkedCookie(request, NAME)).toBe('mine');
  });

  // threat-model: T-088
  it('has chunks with a number from 1 to 7 after its name, and no others', () => {
    const suffixes = ['.0', '.8', '.01', '.12', '.1x', '.x1', '.a b.1', '.1.1', '1', '.'];
    const others = [...suffixes.map((suffix) => NAME + suffix), 'other.1', `x${NAME}.1`];
    const cookies = Object.fromEntries(
      [...others, NAME, `${NAME}.1`, `${NAME}.7`].map((name) => [name, 'x']),
    );
    expect(Object.keys(browserAfter(null, cookies))).toEqual(others);
    for (const other of others) expect(hasChunkedCookie(requestWith({ [other]: 'x' }), NAME)).toBe(false);
  });

  it('deletes all its chunks, those of the same response included, and no other cookie', () => {
    const jar = createResponseCookies();
    const request = requestWith({ [NAME]: '1.x', [`${NAME}.5`]: 'y', [`${NAME}ly`]: 'z', locale: 'fr' });
    writeChunkedCookie(request, jar, NAME, text(9000), attributes);
    deleteChunkedCookie(request, jar, NAME, attributes);
    const lines = jar.lines().map((line) => parseSetCookie(line));
    expect(lines.map(({ name }) => name).sort()).toEqual([NAME, `${NAME}.1`, `${NAME}.2`, `${NAME}.5`]);
    for (const line of lines) {
      expect(line).toMatchObject({ value: '', maxAge: 0, path: '/', secure: true, httpOnly: true });
    }
  });
});
