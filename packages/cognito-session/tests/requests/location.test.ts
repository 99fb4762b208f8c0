import { describe, expect, it } from 'vitest';
import { siteLocation } from '../../src/requests/location.ts';

const env = { appOrigin: 'https://site.example', userPool: { domain: 'https://login.example' } };

describe('the location of a redirect', () => {
  // threat-model: T-024
  it.each([
    ['/page?a=b#c', '/page?a=b#c'],
    ['https://site.example/page', '/page'],
    ['?a=b', '/?a=b'],
    // Relative, this would name the host evil.example.
    ['/.//evil.example/x', 'https://site.example//evil.example/x'],
    ['/x/..//evil.example', 'https://site.example//evil.example'],
    ['/%5cevil.example', '/%5cevil.example'],
    // With the scheme of the site this is a relative path.
    ['https:evil.example', '/evil.example'],
    ['https://login.example/logout?client_id=a', 'https://login.example/logout?client_id=a'],
  ])('may be %s', (location, expected) => {
    expect(siteLocation(location, env)).toBe(expected);
    const { origin } = new URL(expected, 'https://site.example/any/page');
    expect([env.appOrigin, env.userPool.domain]).toContain(origin);
  });

  // threat-model: T-024
  it.each([
    '//evil.example/x',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example/',
    'https://site.example@evil.example/',
    'https://site.example.evil.example/',
    'http://site.example/',
    'https://site.example:444/',
    'javascript:alert(1)',
    'blob:https://site.example/x',
    'https://',
  ])('may not be %j', (location) => {
    expect(siteLocation(location, env)).toBeNull();
  });

  it('stays on a site without TLS too', () => {
    const plain = { appOrigin: 'http://localhost:3000', userPool: { domain: 'http://localhost:4000' } };
    expect(siteLocation('http://localhost:3000/fr', plain)).toBe('/fr');
    expect(siteLocation('http://localhost:4000/logout', plain)).toBe('http://localhost:4000/logout');
  });
});
