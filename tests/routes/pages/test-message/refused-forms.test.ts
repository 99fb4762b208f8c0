/** Forms that are refused, as browsers without and with scripts send them. */
import { describe, expect, it } from 'vitest';
import { loadTranslations } from '../../../../app/i18n/translations.server.ts';
import { formSubmission } from '../../../support/http/site-requests.ts';
import { formPath, other } from '../../../support/this-site.ts';
import { setUpStack } from '../../support/set-up-stack.ts';

const { t } = loadTranslations('public/locales').instance(other.code);
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-site': 'same-origin' };
const SCRIPT = { accept: '*/*', 'sec-fetch-site': 'same-origin' };
const TOO_LARGE = 'x'.repeat(70_000);
const path = formPath(other);

/** The status, the code and the seconds to wait, as Remix's client reads them. */
function readError(body: string): unknown[] {
  const [, key, error, seconds, status, code] = JSON.parse(body);
  expect([key, error]).toEqual(['error', ['ErrorResponse', 3, 4, 5]]);
  return [status, code, seconds];
}

describe('a form beyond the limits of the server', () => {
  // One preference.
  const stack = setUpStack({ environment: { RATE_LIMIT_SCALE: '0.02' } });

  it.each([70_000, 1_100_000])('of %i bytes gets 413 with what client-side code reads', async (length) => {
    const content = 'x'.repeat(length);
    const sent = await stack.send({ path: `${path}.data`, ...formSubmission({ content }, SCRIPT) });
    expect([sent.status, sent.headers['content-type']]).toEqual([413, 'text/x-script; charset=utf-8']);
    expect(readError(sent.body)).toEqual([413, 'BodyTooLarge', 0]);
    expect(sent.headers['cache-control']).toContain('no-store');
  });

  it('gets a document that says what to do without scripts', async () => {
    const sent = await stack.send({ path, ...formSubmission({ content: TOO_LARGE }, BROWSER) });
    expect(sent.status).toBe(413);
    const texts = [t('error.413.title'), t('error.413.description'), t('goBack', { ns: 'server' })];
    for (const text of texts) expect(sent.body).toContain(text);
  });

  it('gets 429 with the seconds to wait', async () => {
    const theme = { path: '/preferences.data', ...formSubmission({ theme: 'dark' }, SCRIPT) };
    expect((await stack.send(theme)).status).toBe(200);
    const refused = await stack.send(theme);
    expect(refused.status).toBe(429);
    const seconds = Number(refused.headers['retry-after']);
    expect(seconds).toBeGreaterThan(0);
    expect(readError(refused.body)).toEqual([429, 'TooManyRequests', seconds]);
  });
});

describe('a form that fails without scripts', () => {
  const stack = setUpStack();

  it.each([
    ['an empty text', '  ', {}, 422, t('error.empty', { ns: 'test-message' })],
    ['an API that does not work', 'kept', { kind: 'status', status: 500 }, 502, t('form.error.unavailable')],
    ['an API that is busy', 'kept', { kind: 'status', status: 503 }, 503, t('form.error.busy')],
  ] as const)('is shown again with its text after %s', async (_what, content, fault, status, text) => {
    const visitor = await stack.signUp(`plain-${status}`);
    if ('kind' in fault) stack.cloud.faults.set({ faults: [{ service: 'graphql', ...fault }] });
    const sent = await visitor.request(path, formSubmission({ content }, BROWSER));
    stack.cloud.faults.set({});
    expect(sent.status).toBe(status);
    expect(sent.body).toContain(`${content}</textarea>`);
    expect(sent.body).toMatch(/role="alert"/);
    expect(sent.body).toContain(text);
  });

  it('is shown again with its text after the session has ended', async () => {
    const sent = await stack.send({ path, ...formSubmission({ content: 'kept' }, BROWSER) });
    expect(sent.status).toBe(401);
    expect(sent.body).toContain('kept</textarea>');
    expect(sent.body).toContain(t('form.error.signed-out'));
  });
});
