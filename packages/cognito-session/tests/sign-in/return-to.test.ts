import { describe, expect, it } from 'vitest';
import { parseReturnTo } from '../../src/sign-in/return-to.ts';

const ORIGIN = 'https://site.example';

describe('the return address', () => {
  it.each([
    ['/', '/'],
    ['/ar/test-message', '/ar/test-message'],
    ['/test-message?page=2&q=%20a#reply', '/test-message?page=2&q=%20a#reply'],
    ['https://site.example/fr?x=1#y', '/fr?x=1#y'],
    ['HTTPS://SITE.EXAMPLE:443/fr', '/fr'],
    ['https://anyone:secret@site.example/fr', '/fr'],
    ['?q=1', '/?q=1'],
    ['/a/../fr', '/fr'],
    ['/fr/auth/sign-in', '/fr/auth/sign-in'],
    ['/authx/', '/authx/'],
    ['/%2F%2Fevil.example', '/%2F%2Fevil.example'],
    ['https://site.example\\@evil.example', '/@evil.example'],
  ])('of %s is %s', (value, path) => {
    expect(parseReturnTo(value, ORIGIN)).toBe(path);
  });

  it.each([
    '//evil.example',
    '/.//evil.example',
    'https://evil.example/fr',
    'http://site.example/',
    'https://site.example:8443/',
    'https://site.example@evil.example/',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://site.example/1234',
    '/\t/evil.example',
    '/a\u0000b',
    '/a\u007fb',
    '/auth/sign-in',
    '/auth',
    '/AUTH/callback?code=x&state=y',
    '/%61uth/sign-in',
    '/x/../auth/sign-in',
    '/auth%2Fsign-in',
    '/%zz',
    'https://[',
  ])('of %j is the home page', (value) => {
    expect(parseReturnTo(value, ORIGIN)).toBe('/');
  });

  it.each([null, undefined, ['/fr'], new File([], '/fr')])(
    'of %j, which is not a string, is the home page',
    (value) => {
      expect(parseReturnTo(value, ORIGIN)).toBe('/');
    },
  );

  it('may have 2048 characters and not more', () => {
    const longest = `/${'a'.repeat(2047)}`;
    expect(parseReturnTo(longest, ORIGIN)).toBe(longest);
    expect(parseReturnTo(`${longest}a`, ORIGIN)).toBe('/');
  });

  it('keeps to the scheme of the site', () => {
    const origin = 'http://localhost:3000';
    expect(parseReturnTo('http://localhost:3000/fr', origin)).toBe('/fr');
    for (const other of ['https://localhost:3000/fr', 'blob:http://localhost:3000/fr']) {
      expect(parseReturnTo(other, origin)).toBe('/');
    }
  });

  // threat-model: T-024
  it('stays on the site for every combination of suspicious parts', () => {
    const parts = [
      '/',
      '\\',
      '.',
      '..',
      '//',
      ':',
      '@',
      'evil.example',
      '%2f',
      '%5c',
      '\t',
      ' ',
      '?',
      '#',
      'https:',
    ];
    const append = (values: string[]) => parts.flatMap((part) => values.map((value) => value + part));
    const isOnSite = (value: string) => new URL(parseReturnTo(value, ORIGIN), ORIGIN).origin === ORIGIN;
    const leaving = append(append(append(parts))).filter((value) => !isOnSite(value));
    expect(leaving).toEqual([]);
  });
});
