import type { ActionFunctionArgs, AppLoadContext } from '@remix-run/node';
import { describe, expect, it } from 'vitest';
import { consumeNotice, formAction, NotAccepted, refusalOfUpstream } from '~/forms/form-action.server.ts';
import { type FormOutcome, type RefusalCode, statusOfRefusal } from '~/forms/form-outcome.ts';
import { createResponseCookies } from '../../../packages/cognito-session/src/cookies/cookie-jar.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';
import { ConfigurationError } from '../../../packages/upstream/src/configuration-error.ts';
import { UpstreamError } from '../../../packages/upstream/src/upstream-error.ts';
import { createCookieStore } from '../../support/sign-in/cookie-store.ts';

const SECRET_TEXT = 'arn:aws:appsync:us-east-1:123456789012:apis/abc';
const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

function failure(
  code: string,
  status?: number,
  service: UpstreamError['service'] = 'data-api',
): UpstreamError {
  return new UpstreamError(service, code, SECRET_TEXT, status === undefined ? {} : { status });
}

describe('the refusal for a failed call', () => {
  it.each<[string, UpstreamError, RefusalCode, number]>([
    ['a timeout', failure('TimeoutError'), 'timeout', 504],
    ['a lost connection', failure('NetworkError'), 'unavailable', 502],
    ['a failed connection attempt', failure('ConnectError'), 'unavailable', 502],
    ['too many operations of a session', failure('TooManyRequests'), 'too-many-requests', 429],
    ['an open circuit breaker', failure('CircuitOpen'), 'busy', 503],
    ['an internal error of the upstream', failure('InternalFailure', 500), 'unavailable', 502],
    ['an invalid response', failure('InvalidResponse', 200), 'unavailable', 502],
    ['a rejected login', failure('NotAuthorizedException', 400, 'identity-pool'), 'refused', 502],
    ['a rejected signature', failure('InvalidSignatureException', 403), 'refused', 502],
    [
      'a role without permission',
      new ConfigurationError('data-api', 'PermissionDenied', SECRET_TEXT, 'fix', { status: 401 }),
      'unavailable',
      502,
    ],
    [
      'a session without an ID token',
      failure('UserUnAuthenticatedException', undefined, 'identity-pool'),
      'signed-out',
      401,
    ],
  ])('has the code and status of %s', (_name, error, code, status) => {
    expect(refusalOfUpstream(error)).toEqual({ code, retryAfter: null });
    expect(statusOfRefusal(code)).toBe(status);
  });

  it('names the time to wait in seconds', () => {
    const error = new UpstreamError('data-api', 'TooManyRequests', SECRET_TEXT, { retryAfterMs: 1200 });
    expect(refusalOfUpstream(error)).toEqual({ code: 'too-many-requests', retryAfter: 2 });
  });

  it('never contains text from the upstream', () => {
    expect(refusalOfUpstream(failure(SECRET_TEXT, 418))).toEqual({ code: 'refused', retryAfter: null });
  });
});

/** Sends the fields to an action. Returns the outcome and the status, or the response that the action throws. */
async function submit(
  action: ReturnType<typeof formAction>,
  fields: Record<string, string>,
  accept = BROWSER,
) {
  const cookies = createResponseCookies();
  const env = { session: { secure: true } };
  const context = { cookies, env, log: createLog('silent'), requestId: 'id' } as unknown as AppLoadContext;
  const request = new Request('https://site.example/notes?after=x', {
    ...{ method: 'POST', headers: { accept }, body: new URLSearchParams(fields) },
  });
  const args: ActionFunctionArgs = { request, context, params: {} };
  try {
    const { data, init } = await action(args);
    const disposition = new Headers(init?.headers).get('content-disposition');
    return { outcome: data, status: init?.status, disposition, response: null, cookies };
  } catch (response) {
    if (!(response instanceof Response)) throw response;
    return { outcome: null, status: response.status, disposition: null, response, cookies };
  }
}

describe('the action of a form', () => {
  const failed = (part: Partial<FormOutcome>) => ({ type: 'failed', refusal: null, errors: {}, ...part });

  it('returns the errors of fields with what was typed', async () => {
    const action = formAction(async () => ({ errors: { text: 'invalid' } }));
    const { outcome, status } = await submit(action, { text: 'typed', intent: 'save' });
    expect(status).toBe(422);
    const values = { text: 'typed', intent: 'save' };
    expect(outcome).toEqual(failed({ errors: { text: 'invalid' }, values }));
  });

  it('returns no more of a text than a document may contain', async () => {
    const action = formAction(async () => ({ errors: { text: 'invalid' } }));
    const { outcome } = await submit(action, { text: 'x'.repeat(60_000) });
    expect(outcome).toMatchObject({ values: { text: 'x'.repeat(10_000) } });
  });

  it.each<[string, () => Promise<{ refusal: RefusalCode }>, RefusalCode, number]>([
    ['says so', async () => ({ refusal: 'signed-out' }), 'signed-out', 401],
    ['fails in a call', () => Promise.reject(failure('CircuitOpen')), 'busy', 503],
    ['breaks a rule', () => Promise.reject(new NotAccepted(SECRET_TEXT)), 'not-accepted', 422],
    ['fails otherwise', () => Promise.reject(new Error(SECRET_TEXT)), 'unknown', 500],
  ])('returns a refusal with what was typed if the form %s', async (_how, handle, code, status) => {
    const result = await submit(formAction(handle), { text: 'typed' });
    expect(result.status).toBe(status);
    const refusal = { code, retryAfter: null };
    expect(result.outcome).toEqual(failed({ refusal, values: { text: 'typed' } }));
  });

  it('returns a refusal with the time to wait and the errors of fields', async () => {
    const refusal = { code: 'busy', retryAfter: 3 } as const;
    const action = formAction(async () => ({ refusal, errors: { open: 'messages' } }));
    const { outcome, status } = await submit(action, {});
    expect([outcome, status]).toEqual([failed({ refusal, errors: { open: 'messages' }, values: {} }), 503]);
  });

  it('returns nothing that the form has deleted', async () => {
    const action = formAction(async (form) => {
      form.delete('secret');
      return { errors: { text: 'invalid' } };
    });
    const { outcome } = await submit(action, { text: 'typed', secret: 'typed too' });
    expect(outcome).toEqual(failed({ errors: { text: 'invalid' }, values: { text: 'typed' } }));
  });

  it('returns a file with the header that makes browsers save it', async () => {
    const action = formAction(async () => ({ file: { name: 'notes.json', content: { notes: 1 } } }));
    const { outcome, disposition } = await submit(action, {});
    expect([outcome, disposition]).toEqual([{ notes: 1 }, 'attachment; filename="notes.json"']);
  });

  it('passes on the response that it throws', async () => {
    const action = formAction(() => Promise.reject(new Response(null, { status: 404 })));
    expect((await submit(action, {})).response?.status).toBe(404);
  });

  it('returns a notice to a script, and redirects a document, whose next page gets the notice once', async () => {
    const action = formAction(async () => ({ notice: 'saved' }));
    const script = await submit(action, {}, '*/*');
    expect([script.outcome, script.status]).toEqual([{ type: 'done', notice: 'saved' }, 200]);
    expect(script.cookies.lines()).toEqual([]);

    const browser = createCookieStore();
    const { response, cookies } = await submit(action, {});
    expect(response?.status).toBe(303);
    expect(response?.headers.get('location')).toBe('/notes?after=x');
    browser.receive(cookies);
    const visit = (notices: readonly string[]) => {
      const jar = createResponseCookies();
      const context = { cookies: jar, env: { session: { secure: true } } } as unknown as AppLoadContext;
      const notice = consumeNotice({ request: browser.request('/notes'), context }, notices);
      browser.receive(jar);
      return notice;
    };
    expect(visit(['saved'])).toBe('saved');
    expect(visit(['saved'])).toBeNull();
  });
});

describe('a notice', () => {
  it.each([
    ['invalid JSON', Buffer.from('{').toString('base64url')],
    ['no notice', Buffer.from('{"notice":7}').toString('base64url')],
    ['one of another page', Buffer.from('{"notice":"deleted"}').toString('base64url')],
  ])('is ignored and removed if its cookie has %s', (_name, value) => {
    const browser = createCookieStore(new Map([['__Host-outcome', value]]));
    const jar = createResponseCookies();
    const context = { cookies: jar, env: { session: { secure: true } } } as unknown as AppLoadContext;
    expect(consumeNotice({ request: browser.request('/notes'), context }, ['saved'])).toBeNull();
    browser.receive(jar);
    expect(browser.cookies.size).toBe(0);
  });
});
