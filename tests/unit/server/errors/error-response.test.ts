import { createHash } from 'node:crypto';
import { createRequestHandler } from '@remix-run/node';
import { describeUpstreamFailure } from '@tenfold/upstream';
import { describe, expect, it } from 'vitest';
import { defaultLocale, locales, localizePath } from '../../../../app/i18n/locales.ts';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import {
  type ExplainedRejection,
  errorResponse,
  rejectionResponse,
  rejectRequest,
} from '../../../../app/server/errors/error-response.ts';
import { retryAfter } from '../../../../packages/site-server/src/rejection.ts';
import { UpstreamError } from '../../../../packages/upstream/src/upstream-error.ts';
import { minimalBuild } from '../../../support/advisories/minimal-build.ts';
import { other } from '../../../support/this-site.ts';

const translations = loadTranslations('public/locales');
const home = `/${other.code}`;
const tooLarge: ExplainedRejection = { status: 413, code: 'BodyTooLarge', message: 'At most 9 bytes.' };

/** Rejects a request and returns the response and what was recorded. */
function reject(
  rejection: ExplainedRejection,
  path = home,
  accept: string | null = null,
  others = {},
  method = 'GET',
) {
  const rejected: string[] = [];
  const request = {
    method,
    path,
    headers: new Headers({ host: 'site.example', ...(accept === null ? {} : { accept }), ...others }),
    requestId: '<id>',
    rejection: null as string | null,
  };
  const metrics = { rejected: (code: string) => void rejected.push(code) };
  const { status, headers, body } = rejectRequest({ metrics, translations }, request, rejection);
  return { status, headers, body: String(body), rejected, logged: request.rejection };
}

describe('a rejected request', () => {
  it('is counted, and its code is in the log', () => {
    const { rejected, logged } = reject(tooLarge);
    expect([rejected, logged]).toEqual([['BodyTooLarge'], 'BodyTooLarge']);
  });

  it.each([
    [home, null, 'text/html; charset=utf-8'],
    [home, 'application/xml, text/html', 'text/html; charset=utf-8'],
    [`${home}/api/x`, '*/*', 'text/html; charset=utf-8'],
    [home, 'application/json', 'application/problem+json'],
    [home, 'image/*', 'application/problem+json'],
    ['/api/x', 'text/html', 'application/problem+json'],
    ['/api/graphql', 'text/html', 'application/json; charset=utf-8'],
  ])('at %s that accepts %s gets %s', (path, accept, type) => {
    const { status, headers } = reject({ ...tooLarge, headers: { 'retry-after': '1' } }, path, accept);
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([413, type, '1']);
  });

  it('gets a page in the language of its address, with the request id and no message', () => {
    for (const locale of locales) {
      const { body } = reject(tooLarge, localizePath('/x', locale));
      expect(body).toContain(`<html lang="${locale.iso}" dir="${locale.dir}">`);
      expect(body).toContain(`<a href="${localizePath('/', locale)}">`);
      expect(body).toContain('&#60;id&#62;');
      expect(body).not.toContain('At most');
    }
    const english = reject(tooLarge, '/').body;
    expect(english).toContain('<a href="/">');
    const { t } = translations.instance('en');
    const escaped = (text: string) => text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`);
    expect(english.match(/<h1>(.+?)<\/h1><p>(.+)/)?.slice(1)).toEqual([
      escaped(t('error.413.title')),
      escaped(t('error.413.description')),
    ]);
    for (const key of ['error.home', 'error.requestId', 'error.requestIdNote'] as const)
      expect(english).toContain(escaped(t(key)));
  });

  const from = (referer: string, choice = other) => ({ referer, cookie: `locale=${choice.code}` });

  it.each([
    ['the page that it came from', from(`https://site.example${home}/x`, defaultLocale), other],
    ['an English page that it came from', from('https://site.example/'), defaultLocale],
    ['the choice of the visitor', from('https://other.example/'), other],
    ['English without any of them', { referer: 'no address' }, defaultLocale],
  ])('at an address without a language gets a page in that of %s', (_source, headers, { iso }) => {
    expect(reject(tooLarge, '/preferences', null, headers).body).toContain(`<html lang="${iso}"`);
  });

  it.each([
    ['theme=dark', 'dark'],
    ['theme=light', 'light'],
    ['theme=system', 'light dark'],
  ])('of a visitor with the cookie %s gets a page in %s', (cookie, scheme) => {
    const { body } = reject(tooLarge, home, null, { cookie });
    expect(body).toContain(`<meta name="color-scheme" content="${scheme}">`);
  });

  it.each([
    [404, '400'],
    [421, '421'],
    [599, '500'],
  ] as const)('with status %i has the description of %s', (status, described) => {
    const { t } = translations.instance(other.code);
    expect(reject({ ...tooLarge, status }).body).toContain(t(`error.${described}.description`));
  });

  it('with status 408 says that the request did not arrive in time', () => {
    const { t } = translations.instance(other.code);
    const { body } = reject({ status: 408, code: 'RequestTimeout' });
    expect(body).toContain(`<h1>${t('requestTimeout.title', { ns: 'server' })}</h1>`);
    expect(body).toContain(t('requestTimeout.description', { ns: 'server' }));
  });

  it('says to a visitor who has posted a form that the browser keeps its text', () => {
    const { t } = translations.instance(other.code);
    const text = t('goBack', { ns: 'server' });
    expect(reject(tooLarge, home, null, {}, 'POST').body).toContain(text);
    expect(reject(tooLarge).body).not.toContain(text);
  });

  it.each([
    ['', 0],
    ['30', 30],
  ])(
    'from client-side code is an error that an action has thrown, with Retry-After: %s',
    async (header, seconds) => {
      const thrown = Response.json(seconds, { status: 413, statusText: 'BodyTooLarge' });
      const build = minimalBuild(() => null);
      const root = build.routes.root;
      if (root) root.module = { ...root.module, action: () => Promise.reject(thrown) };
      const request = new Request('http://site.example/_root.data', { method: 'POST', body: 'a=b' });
      const remix = await createRequestHandler(build)(request);
      const headers = header === '' ? {} : { 'retry-after': header };
      const {
        status,
        body,
        headers: own,
      } = reject({ ...tooLarge, headers }, `${home}.data`, '*/*', {}, 'POST');
      expect(body).toBe(await remix.text());
      expect([status, own['content-type']]).toEqual([413, 'text/x-script; charset=utf-8']);
      expect(own['retry-after']).toBe(header || undefined);
      expect(remix.headers.get('content-type')).toBe('text/x-script');
    },
  );

  it('has another description where there is a better one', () => {
    const explanation = 'signInError.no-cookies';
    const { t } = translations.instance(other.code);
    expect(reject({ ...tooLarge, explanation }).body).toContain(t(explanation, { ns: 'server' }));
  });

  it('gets a page without scripts, whose policy allows its own style only', () => {
    const { headers, body } = reject(tooLarge);
    const style = /<style>(body\{.*)<\/style>/.exec(body)?.[1] ?? '';
    expect(style).not.toBe('');
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; img-src 'self'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`,
    );
  });

  it('gets problem details with the code, the message and the request id', () => {
    const json = (rejection: ExplainedRejection) => JSON.parse(reject(rejection, '/api/x').body);
    const problem = { status: 413, code: 'BodyTooLarge', requestId: '<id>' };
    expect(json(tooLarge)).toEqual({ ...problem, detail: 'At most 9 bytes.' });
    expect(json({ status: 413, code: 'BodyTooLarge' })).toEqual(problem);
  });

  it('of the GraphQL proxy gets the same in the form of a GraphQL response', () => {
    expect(JSON.parse(reject(tooLarge, '/api/graphql').body)).toEqual({
      data: null,
      errors: [{ message: 'At most 9 bytes.', errorType: 'BodyTooLarge' }],
      extensions: { requestId: '<id>' },
    });
  });

  it('by a resource route gets the same page, which must not be cached unless the rejection says so', async () => {
    const request = new Request(`https://site.example${home}/x?a=b`);
    const respond = (rejection: ExplainedRejection) =>
      rejectionResponse(rejection, request, { requestId: '<id>', translations });
    const response = respond({ ...tooLarge, headers: { 'retry-after': '1' } });
    const { headers, body } = reject({ ...tooLarge, headers: { 'retry-after': '1' } });
    expect(response.status).toBe(413);
    expect(Object.fromEntries(response.headers)).toEqual({
      ...headers,
      'cache-control': 'private, no-store',
    });
    expect(await response.text()).toBe(body);
    const cached = { 'cache-control': 'private, no-cache' };
    expect(respond({ ...tooLarge, headers: cached }).headers.get('cache-control')).toBe('private, no-cache');
    const json = new Request(request, { headers: { accept: 'application/json' } });
    const other = rejectionResponse(tooLarge, json, { requestId: 'id', translations });
    expect(await other.json()).toMatchObject({ requestId: 'id' });
  });

  it('by an API gets JSON that must not be cached', async () => {
    const response = errorResponse({ ...tooLarge, headers: { 'retry-after': '1' } }, 'id');
    expect([response.status, Object.fromEntries(response.headers)]).toEqual([
      413,
      {
        'content-type': 'application/problem+json',
        'cache-control': 'private, no-store',
        'retry-after': '1',
      },
    ]);
    expect(await response.json()).toMatchObject({ requestId: 'id' });
    expect(errorResponse(tooLarge, 'id').headers.get('retry-after')).toBeNull();
  });
});

it.each([
  [1000, '1'],
  [1001, '2'],
])('after %i milliseconds a client may retry, in whole seconds: %s', (ms, seconds) => {
  expect(retryAfter(ms)).toEqual({ 'retry-after': seconds });
});

describe('the failure of an upstream', () => {
  const describeFailure = (code: string, details: UpstreamError['details'] = {}) =>
    describeUpstreamFailure(new UpstreamError('data-api', code, 'private', details));

  const unknown = 'An unknown error has occurred.';

  it.each<[string, UpstreamError['details'], number, string]>([
    ['UserUnAuthenticatedException', {}, 401, 'User needs to be authenticated to call this API.'],
    ['TooManyRequests', {}, 429, 'Too many requests: see Retry-After.'],
    ['TimeoutError', {}, 504, 'A network error has occurred.'],
    ['Other', { status: 504 }, 504, unknown],
    ['CircuitOpen', {}, 503, unknown],
    ['Overloaded', {}, 503, unknown],
    ['Other', { status: 429 }, 503, unknown],
    ['Other', { status: 503 }, 503, unknown],
    ['ThrottlingException', { status: 400 }, 503, unknown],
    ['TooManyRequestsException', { status: 400 }, 503, unknown],
    ['NetworkError', {}, 502, 'A network error has occurred.'],
    ['ConnectError', {}, 502, 'A network error has occurred.'],
    [
      'CredentialsException',
      {},
      502,
      'Cognito did not respond with either Credentials, AccessKeyId or SecretKey.',
    ],
    ['Other', { status: 500 }, 502, unknown],
  ])('%s with %j gets status %i and the message “%s”, never its own', (code, details, status, message) => {
    expect(describeFailure(code, details)).toMatchObject({ status, code, message });
  });

  it.each([
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['A1_b', true],
    ['1a', false],
    ['x <b>', false],
  ])('passes on the code “%s”: %s', (code, isPassedOn) => {
    expect(describeFailure(code).code).toBe(isPassedOn ? code : 'UnknownError');
  });

  it('says when to retry, if the upstream or the circuit breaker did', () => {
    expect(describeFailure('CircuitOpen', { retryAfterMs: 1500 }).headers).toEqual({ 'retry-after': '2' });
    expect(describeFailure('CircuitOpen')).not.toHaveProperty('headers');
  });
});
