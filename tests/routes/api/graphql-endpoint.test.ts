import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shippedMutation, shippedQuery } from '../../support/http/shipped-operations.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor, type SiteVisitor } from '../../support/sign-in/site-visitor.ts';

const ENDPOINT = '/api/graphql';

const json = { 'content-type': 'application/json' };
const list = JSON.stringify({ query: shippedQuery.query });

let stack: Stack;
let ada: SiteVisitor;

beforeAll(async () => {
  stack = await startStack();
  ada = visit();
  await ada.signUp(stack.cloud, { email: 'ada@example.com', password: PASSWORD });
  // The first call caches the session's credentials.
  await post(ada, ENDPOINT);
}, 60_000);
afterAll(() => stack?.stop());

const visit = () => createSiteVisitor(stack.site.origin, new Agent({ keepAlive: true }));
const post = (visitor: SiteVisitor, path: string, body = list, headers: Record<string, string> = json) =>
  visitor.copy().request(path, { method: 'POST', headers, body });

describe('the GraphQL proxy over HTTP', () => {
  it('compresses a large response with the negotiated coding', async () => {
    for (const start of ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven']) {
      const variables = { content: `${start} ${'word '.repeat(30)}` };
      await post(ada, ENDPOINT, JSON.stringify({ query: shippedMutation.query, variables }));
    }
    const plain = await post(ada, ENDPOINT);
    const request = open({ 'accept-encoding': 'gzip' }).end(list);
    const [response] = await once(request, 'response');
    const bytes = Buffer.concat(await response.toArray());
    expect(response.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect([Number(response.headers['content-length']), bytes.length < plain.body.length / 3]).toEqual([
      bytes.length,
      true,
    ]);
    expect(gunzipSync(bytes).toString()).toBe(plain.body);
    const [another] = await once(open({ 'accept-encoding': 'br' }).end(list), 'response');
    expect(another.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(Buffer.concat(await another.toArray())).toString()).toBe(plain.body);
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
    expect((await post(ada, ENDPOINT, list.padEnd(1024 * 1024))).status).toBe(200);
    expect((await post(visit(), ENDPOINT, list.padEnd(64 * 1024))).status).toBe(401);
    const { status, body } = await post(visit(), ENDPOINT, list.padEnd(64 * 1024 + 1));
    expect([status, JSON.parse(body)]).toMatchObject([
      413,
      { data: null, errors: [{ errorType: 'BodyTooLarge' }] },
    ]);
  });

  it('works after a client has disconnected in the middle of a body', async () => {
    const aborted = open().on('error', () => {});
    aborted.write('{"query":', () => aborted.destroy());
    await new Promise((resolve) => aborted.on('close', resolve));
    expect((await post(ada, ENDPOINT)).status).toBe(200);
    expect(stack.site.output()).not.toContain('"level":"error"');
  });

  function open(headers: Record<string, string> = {}) {
    const cookie = [...ada.cookies.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { ...json, 'sec-fetch-site': 'same-origin', cookie, ...headers };
    return httpRequest(new URL(ENDPOINT, stack.site.origin), { method: 'POST', headers: sent });
  }
});

describe('the first call of a guest who has signed in', () => {
  it('links the guest identity to the user, and the next one deletes its cookie', async () => {
    const visitor = visit();
    const call = () => visitor.request(ENDPOINT, { method: 'POST', headers: json, body: list });
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
});
