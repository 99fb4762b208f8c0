import type { ClientActionFunctionArgs } from '@remix-run/react';
// What Remix's client makes of a response that an action has thrown.
import { UNSAFE_ErrorResponseImpl as ErrorResponse } from '@remix-run/router';
import { describe, expect, it } from 'vitest';
import { formClientAction, formShouldRevalidate, sendForm } from '~/forms/send-form.ts';

/** Sends a form whose action is `serverAction`. Returns the status and the body of what the `clientAction` returns. */
async function send(serverAction: () => Promise<unknown>, timeoutMs?: number) {
  const body = new URLSearchParams({ text: 'typed' });
  const request = new Request('https://site.example/notes', { method: 'POST', body });
  const args = { request, params: {}, serverAction } as ClientActionFunctionArgs;
  const result =
    timeoutMs === undefined
      ? await formClientAction(args)
      : await sendForm(args, (refusal) => refusal, timeoutMs);
  if (!(result instanceof Response)) return { status: 200, body: result };
  return { status: result.status, body: await result.json() };
}

const refused = (code: string, retryAfter: number | null = null) => ({
  ...{ type: 'failed', errors: {}, values: { text: 'typed' } },
  refusal: { code, retryAfter },
});

describe('a form that is sent by a script', () => {
  it('has the result of its action', async () => {
    expect(await send(async () => 'done')).toEqual({ status: 200, body: 'done' });
  });

  it.each([
    [401, 'signed-out', 401],
    [413, 'too-large', 413],
    [503, 'busy', 503],
    [504, 'timeout', 504],
    [404, 'unknown', 500],
  ])('stays with what was typed after the status %i', async (status, code, returned) => {
    const result = await send(() => Promise.reject(new ErrorResponse(status, '', 0)));
    expect(result).toEqual({ status: returned, body: refused(code) });
  });

  it('knows when it may be sent again', async () => {
    const result = await send(() => Promise.reject(new ErrorResponse(429, '', 30)));
    expect(result).toEqual({ status: 429, body: refused('too-many-requests', 30) });
  });

  it.each([
    ['without a network', new TypeError('Failed to fetch'), 'offline', 503],
    ['after a response that is not the action’s', new Error('Unable to decode'), 'unknown', 500],
  ])('stays with what was typed %s', async (_when, error, code, status) => {
    expect(await send(() => Promise.reject(error))).toEqual({ status, body: refused(code) });
  });

  it('is refused when no answer comes in time', async () => {
    expect(await send(() => new Promise(() => {}), 20)).toEqual({
      status: 504,
      body: { code: 'no-answer', retryAfter: null },
    });
  });

  it('stays with what was typed when its page turns the visitor away', async () => {
    const headers = { location: '/auth/sign-in?returnTo=%2Fnotes' };
    const result = await send(() => Promise.reject(new Response(null, { status: 302, headers })));
    expect(result).toEqual({ status: 401, body: refused('signed-out') });
  });

  it('follows a redirect of its action', async () => {
    const response = Response.redirect('https://site.example/');
    await expect(send(() => Promise.reject(response))).rejects.toBe(response);
  });
});

it.each([
  [undefined, true],
  [200, true],
  [422, false],
  [503, false],
])('the data of the page is loaded again after the status %s: %s', (actionStatus, expected) => {
  const url = new URL('https://site.example/notes');
  const args = { currentUrl: url, nextUrl: url, currentParams: {}, nextParams: {} };
  const status = actionStatus === undefined ? {} : { actionStatus };
  expect(formShouldRevalidate({ ...args, ...status, defaultShouldRevalidate: true })).toBe(expected);
});
