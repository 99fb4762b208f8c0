import { describe, expect, it } from 'vitest';
import {
  methodNotAllowed,
  redirectByPage,
  redirectTo,
  rejectPrefetch,
} from '../../../../app/server/http/redirects.ts';

const env = { appOrigin: 'https://site.example', userPool: { domain: 'https://login.example' } };

describe('a redirect', () => {
  it('has the status 302, or 303 after a form was posted', () => {
    const [found, seeOther] = [redirectTo('/fr'), redirectTo('/fr', 303)];
    expect([found.status, found.headers.get('location')]).toEqual([302, '/fr']);
    expect([seeOther.status, seeOther.headers.get('location')]).toEqual([303, '/fr']);
  });

  it('by a page has the address with its special characters escaped, wherever it stands', async () => {
    const response = redirectByPage(`/fr?a=1&copy=2#"'<>`, env);
    const address = '/fr?a=1&#38;copy=2#%22&#39;%3C%3E';
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain(`<meta http-equiv="refresh" content="0;url=${address}">`);
    expect(html).toContain(`<a href="${address}">${address}</a>`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });
});

// threat-model: T-024
it('a redirect by a page to another site leads to / instead', async () => {
  expect(await redirectByPage('https://evil.example/', env).text()).toContain('content="0;url=/">');
});

describe('a rejection', () => {
  it('of a method names the methods that are allowed', () => {
    const response = methodNotAllowed('GET, HEAD');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('of a prefetch has the status 403', () => {
    expect(rejectPrefetch().status).toBe(403);
  });
});

it.each([
  { what: 'a redirect', create: () => redirectTo('/') },
  { what: 'a redirect by a page', create: () => redirectByPage('/', env) },
  { what: 'the rejection of a method', create: () => methodNotAllowed('GET') },
  { what: 'the rejection of a prefetch', create: () => rejectPrefetch() },
])('$what must not be cached', ({ create }) => {
  expect(create().headers.get('cache-control')).toBe('private, no-store');
});
