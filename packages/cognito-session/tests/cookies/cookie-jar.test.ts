import { describe, expect, it } from 'vitest';
import { createResponseCookies, readCookies, serializeCookie } from '../../src/cookies/cookie-jar.ts';

const attributes = { httpOnly: true, secure: true, sameSite: 'lax' } as const;
const requestWith = (cookie?: string) =>
  new Request('https://site.example/', { headers: cookie === undefined ? {} : { cookie } });

describe('the cookies of a response', () => {
  it('apply to the whole site, have no domain, and have the value as it is', () => {
    expect(serializeCookie('__Host-a', 'x%20y/+=&', { ...attributes, maxAge: 60 })).toBe(
      '__Host-a=x%20y/+=&; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
    );
    expect(serializeCookie('a', 'x', { httpOnly: false, secure: false, sameSite: 'strict' })).toBe(
      'a=x; Path=/; SameSite=Strict',
    );
  });

  it('have one line per name: the last one, in the order in which the names were first set', () => {
    const jar = createResponseCookies();
    expect(jar.lines()).toEqual([]);
    jar.set('a', '1', attributes);
    jar.set('b', '2', attributes);
    jar.delete('a', { ...attributes, maxAge: 60 });
    expect(jar.lines()).toEqual([
      'a=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
      'b=2; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    jar.set('a', '3', attributes);
    expect(jar.lines()[0]).toBe('a=3; Path=/; HttpOnly; Secure; SameSite=Lax');
  });
});

describe('the cookies of a request', () => {
  it('are read without being decoded', () => {
    const cookies = readCookies(requestWith('a=x%20y; b=2'));
    expect([cookies.get('a'), cookies.get('b'), cookies.get('c')]).toEqual(['x%20y', '2', null]);
    expect(cookies.names).toEqual(['a', 'b']);
  });

  it('are none without the header, and none that an object has by default', () => {
    expect(readCookies(requestWith()).names).toEqual([]);
    const cookies = readCookies(requestWith('a=1'));
    for (const name of ['constructor', '__proto__', 'toString']) expect(cookies.get(name)).toBeNull();
  });

  it('are read from the header once, however often they are asked for', () => {
    let reads = 0;
    const get = () => {
      reads += 1;
      return 'a=1';
    };
    const request = { headers: { get } };
    expect([readCookies(request).get('a'), readCookies(request).get('a')]).toEqual(['1', '1']);
    expect(reads).toBe(1);
  });

  it('are not those of another request', () => {
    const [one, two] = [requestWith('a=1'), requestWith('a=2')];
    expect([readCookies(one).get('a'), readCookies(two).get('a')]).toEqual(['1', '2']);
  });
});
