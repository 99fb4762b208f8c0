import { afterEach, describe, expect, it } from 'vitest';
import { createPendingLimit } from '../../../../app/server/http/pending-requests.ts';
import { type StepServer, serveSteps } from '../../../support/http/step-server.ts';

let server: StepServer;
afterEach(() => server.close());

/** A server that handles the requests of an address until the test ends them. */
async function serve(trustedProxies: number) {
  const ends: (() => void)[] = [];
  server = await serveSteps(() => [
    createPendingLimit({
      env: { trustedProxies },
      addressOf: ({ headers }) => String(headers['x-address']),
      reject: (_exchange, { status, code, headers = {} }) => ({ status, headers, body: code }),
      maxPending: 2,
    }),
    () => new Promise((resolve) => ends.push(() => resolve({ status: 200, headers: {} }))),
  ]);
  const get = (address: string) => server.get('/', { headers: { 'x-address': address } });
  const pending = (count: number) => expect.poll(() => ends.length).toBe(count);
  return { get, pending, ends };
}

describe('the limit of requests in progress', () => {
  // threat-model: T-085
  it('holds for each address that a proxy names, until a response is complete', async () => {
    const { get, pending, ends } = await serve(1);
    const first = [get('192.0.2.1'), get('192.0.2.1')];
    await pending(2);
    const rejected = await get('192.0.2.1');
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await rejected.text()).toBe('Overloaded');
    const other = get('192.0.2.2');
    await pending(3);
    for (const end of ends) end();
    expect((await Promise.all([...first, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
    const next = get('192.0.2.1');
    await pending(4);
    ends[3]?.();
    expect((await next).status).toBe(200);
  });

  it('does not hold without a proxy, whose connections are limited instead', async () => {
    const { get, pending, ends } = await serve(0);
    const all = [1, 2, 3].map(() => get('192.0.2.1'));
    await pending(3);
    for (const end of ends) end();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});
