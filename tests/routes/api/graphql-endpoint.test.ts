import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { shippedMutation, shippedQuery } from '../../support/http/shipped-operations.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import type { SiteVisitor } from '../../support/sign-in/site-visitor.ts';
import { setUpStack } from '../support/set-up-stack.ts';

const json = { 'content-type': 'application/json' };
const list = JSON.stringify({ query: shippedQuery.query });

const stack = setUpStack();
let ada: SiteVisitor;

beforeAll(async () => {
  ada = await stack.signUp('ada');
  // The first call caches the session's credentials.
  await post(ada);
});

const post = (visitor: SiteVisitor, body = list) =>
  visitor.copy().request('/api/graphql', { method: 'POST', headers: json, body });

/** Begins a request of Ada's. */
function open(headers: Record<string, string> = {}) {
  const sent = { ...json, 'sec-fetch-site': 'same-origin', cookie: ada.cookies.header(), ...headers };
  return httpRequest(new URL('/api/graphql', stack.site.origin), { method: 'POST', headers: sent });
}

describe('the GraphQL proxy over HTTP', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('compresses a large response with the negotiated coding: %s', async (coding, decode) => {
    for (let count = 0; count < 4; count++) {
      await post(ada, JSON.stringify(shippedMutation('word '.repeat(99))));
    }
    const plain = await post(ada);
    const [response] = await once(open({ 'accept-encoding': coding }).end(list), 'response');
    const bytes = Buffer.concat(await response.toArray());
    expect(response.headers).toMatchObject({
      'content-encoding': coding,
      'content-length': String(bytes.length),
      vary: 'Accept-Encoding',
    });
    expect(bytes.length).toBeLessThan(plain.body.length / 3);
    expect(decode(bytes).toString()).toBe(plain.body);
  });

  it('aborts the upstream call when the client disconnects', async () => {
    stack.cloud.faults.set({ faults: [{ service: 'graphql', kind: 'hang' }] });
    stack.cloud.faults.forgetCalls();
    const calls = () => Object.values(stack.cloud.faults.calls.graphql ?? {}).reduce((a, b) => a + b, 0);
    // A call that is not aborted ends at its deadline, and the earlier of two ends before the later.
    let hasEarlierEnded = false;
    const earlier = open().on('error', () => {});
    earlier.on('response', () => {
      hasEarlierEnded = true;
    });
    earlier.end(list);
    await expect.poll(calls, { interval: 10 }).toBe(1);
    const request = open().on('error', () => {});
    request.end(list);
    await expect.poll(calls, { interval: 10 }).toBe(2);
    request.destroy();
    await expect.poll(() => /"route":"api\/graphql".*"status":499/.test(stack.site.output())).toBe(true);
    expect(hasEarlierEnded).toBe(false);
    earlier.destroy();
    stack.cloud.faults.set({});
  });

  // threat-model: T-049
  it('rejects a streamed body that is too large', async () => {
    const request = open().on('error', () => {});
    request.write(Buffer.alloc(1024 * 1024, ' '));
    request.write('{}');
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(413);
    expect(JSON.parse(await text(response)).errors).toMatchObject([{ errorType: 'BodyTooLarge' }]);
    await once(request, 'close');
  });

  it('accepts a body of 1 MiB from a signed-in visitor, and of 64 KiB from an anonymous one', async () => {
    expect((await post(ada, list.padEnd(1024 * 1024))).status).toBe(200);
    expect((await post(stack.visit(), list.padEnd(64 * 1024))).status).toBe(401);
    expect((await post(stack.visit(), list.padEnd(64 * 1024 + 1))).status).toBe(413);
  });

  it('works after a client has disconnected in the middle of a body', async () => {
    const aborted = open().on('error', () => {});
    aborted.write('{"query":', () => aborted.destroy());
    await new Promise((resolve) => aborted.on('close', resolve));
    expect((await post(ada)).status).toBe(200);
    expect(stack.site.output()).not.toContain('"level":"error"');
  });
});

it('the first call of a guest who has signed in links the guest identity to the user, and the next one deletes its cookie', async () => {
  const visitor = stack.visit();
  const call = () => visitor.request('/api/graphql', { method: 'POST', headers: json, body: list });
  const identityOf = async () => JSON.parse((await visitor.request('/api/identity')).body);
  const guest = await identityOf();
  expect(guest.guest).toBe(true);
  await visitor.signUp(stack.cloud, { email: 'guest@example.com', password: PASSWORD });
  expect(visitor.cookies.cookies.has('guest')).toBe(true);
  expect((await call()).status).toBe(200);
  expect((await call()).status).toBe(200);
  expect(visitor.cookies.cookies.has('guest')).toBe(false);
  expect(await identityOf()).toEqual({ identityId: guest.identityId, guest: false });
});
