import { afterEach, expect, it } from 'vitest';
import { type StepServer, serveSteps } from '../../../tests/support/http/step-server.ts';
import { createPendingLimit } from '../src/pending-requests.ts';

let server: StepServer;
afterEach(() => server.close());

/** A server that handles requests, two of one address and three in all, until the test ends them. */
async function serve() {
  const ends: (() => void)[] = [];
  server = await serveSteps(() => [
    createPendingLimit({
      addressOf: ({ headers }) => String(headers['x-address']),
      reject: (_exchange, { status, code, headers = {} }) => ({ status, headers, body: code }),
      limit: { max: 3, maxPerKey: 2 },
    }),
    () => new Promise((resolve) => ends.push(() => resolve({ status: 200, headers: {} }))),
  ]);
  const get = (address: string) => server.get('/', { headers: { 'x-address': address } });
  const pending = (count: number) => expect.poll(() => ends.length).toBe(count);
  return { get, pending, ends };
}

// threat-model: T-085
it('too many requests in progress, of one address or in all, get 503 until a response is complete', async () => {
  const { get, pending, ends } = await serve();
  const first = [get('192.0.2.1'), get('192.0.2.1')];
  await pending(2);
  const rejected = await get('192.0.2.1');
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await rejected.text()).toBe('Overloaded');
  const other = get('192.0.2.2');
  await pending(3);
  expect((await get('192.0.2.3')).status).toBe(503);
  for (const end of ends) end();
  expect((await Promise.all([...first, other])).map(({ status }) => status)).toEqual([200, 200, 200]);
  const next = get('192.0.2.1');
  await pending(4);
  ends[3]?.();
  expect((await next).status).toBe(200);
});
