import { describe, expect, it } from 'vitest';
import {
  methodNotAllowed,
  redirectByPage,
  redirectTo,
  rejectPrefetch,
} from '../../../../app/server/errors/redirects.ts';

const env = { appOrigin: 'https://site.example', userPool: { domain: 'https://login.example' } };

it.each<[string, () => Response, number, object]>([
  ['a redirect', () => redirectTo('/fr'), 302, { location: '/fr' }],
  ['a redirect after a form was posted', () => redirectTo('/fr', 303), 303, { location: '/fr' }],
  ['the rejection of a method', () => methodNotAllowed('GET, HEAD'), 405, { allow: 'GET, HEAD' }],
  ['the rejection of a prefetch', rejectPrefetch, 403, {}],
])('%s has its status and must not be cached', (_what, create, status, own) => {
  const response = create();
  expect(response.status).toBe(status);
  expect(Object.fromEntries(response.headers)).toEqual({ 'cache-control': 'private, no-store', ...own });
});

describe('a redirect', () => {
  it('by a page has the address with its special characters escaped, wherever it stands', async () => {
    const response = redirectByPage(`/fr?a=1&copy=2#"'<>`, env);
    const address = '/fr?a=1&#38;copy=2#%22&#39;%3C%3E';
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html).toContain(`<meta http-equiv="refresh" content="0;url=${address}">`);
    expect(html).toContain(`<a href="${address}">${address}</a>`);
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'private, no-store',
      'content-type': 'text/html; charset=utf-8',
    });
  });

  // threat-model: T-024
  it('by a page to another site leads to / instead', async () => {
    expect(await redirectByPage('https://evil.example/', env).text()).toContain('content="0;url=/">');
  });
});
