import { describe, expect, it } from 'vitest';
import {
  methodNotAllowed,
  redirectByPage,
  redirectTo,
  rejectPrefetch,
} from '../../../../app/server/http/redirects.ts';

const env = { appOrigin: 'https://site.example', userPool: { domain: 'https://login.example' } };

describe('a redirect', () => {
  it.each([[undefined, 302] as const, [303, 303] as const])('with status %s', (status, expected) => {
    const response = redirectTo('/fr', status);
    expect([response.status, response.headers.get('location')]).toEqual([expected, '/fr']);
  });

  it('by a page has the address with its special characters escaped, wherever it stands', async () => {
    const response = redirectByPage(`/fr?a=1&copy=2#"'<>`, env);
    const address = '/fr?a=1&#38;copy=2#%22&#39;%3C%3E';
    const html = await response.text();
    expect(html).toContain(`<meta http-equiv="refresh" content="0;url=${address}">`);
    expect(html).toContain(`<a href="${address}">${address}</a>`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });
});

// threat-model: T-024
it('a redirect by a page to another site leads to / instead', async () => {
  expect(await redirectByPage('https://evil.example/', env).text()).toContain('content="0;url=/">');
});

it.each([
  ['a redirect', redirectTo('/'), 302],
  ['a redirect by a page', redirectByPage('/', env), 200],
  ['a rejected method', methodNotAllowed('GET'), 405],
  ['a rejected prefetch', rejectPrefetch(), 403],
])('%s must not be cached', (_what, response, status) => {
  expect([response.status, response.headers.get('cache-control')]).toEqual([status, 'private, no-store']);
  expect(response.headers.get('allow')).toBe(status === 405 ? 'GET' : null);
});
