import { afterEach, describe, expect, it } from 'vitest';
import { openRawSocket } from '../../../tests/support/http/raw-socket.ts';
import { type StepServer, serveSteps } from '../../../tests/support/http/step-server.ts';
import type { Exchange, SiteResponse, Step } from '../src/exchange.ts';

let server: StepServer;
afterEach(() => server.close());

const empty: SiteResponse = { status: 204, headers: {} };

async function serve(step: Step): Promise<void> {
  server = await serveSteps(() => [step]);
}

/** Sends a request to the server. */
async function sendLines(...lines: readonly string[]) {
  const wire = await openRawSocket(server.origin);
  wire.write(`${lines.join('\r\n')}\r\n\r\n`);
  return wire;
}

/** Sends the head of a request and returns what `read` reads of its exchange. */
async function readRequest<T>(lines: readonly string[], read: (exchange: Exchange) => T): Promise<T[]> {
  const values: T[] = [];
  await serve((exchange) => {
    values.push(read(exchange));
    return empty;
  });
  await (await sendLines(...lines, 'connection: close')).readUntilClosed();
  return values;
}

describe('an exchange', () => {
  it.each([
    ['/fr?a=b?c', '/fr', '?a=b?c'],
    ['/fr', '/fr', ''],
    ['/?', '/', '?'],
    ['/a//b/../c', '/a//b/../c', ''],
  ])('splits %s at its first question mark and changes nothing', async (target, path, search) => {
    const read = (exchange: Exchange) => [exchange.method, exchange.target, exchange.path, exchange.search];
    const values = await readRequest([`GET ${target} HTTP/1.1`, 'host: a'], read);
    expect(values).toEqual([['GET', target, path, search]]);
  });

  it.each([
    ['http://a.example/fr?b', 'a.example', '/fr?b'],
    ['HTTPS://a.example:443', 'a.example:443', '/'],
    ['http://a.example?b=/c', 'a.example', '/?b=/c'],
    ['/http://a.example/', null, '/http://a.example/'],
  ])('knows the host in %s, and the rest as its target', async (sent, authority, target) => {
    const read = (exchange: Exchange) => [exchange.authority, exchange.target];
    expect(await readRequest([`GET ${sent} HTTP/1.1`, 'host: a'], read)).toEqual([[authority, target]]);
  });

  it('reads headers in any case, and joins the lines of one name', async () => {
    const names = ['host', 'accept', 'cookie', 'x-a', 'x-b', 'absent'];
    const lines = [
      'Host: a',
      'ACCEPT: x',
      'accept: y',
      'Cookie: a=1',
      'cookie: b=2',
      'accepx: no',
      'x-a: x-b',
    ];
    const values = await readRequest(['GET / HTTP/1.1', ...lines], ({ headers }) =>
      names.map((name) => headers.get(name)),
    );
    expect(values).toEqual([['a', 'x, y', 'a=1; b=2', 'x-b', null, null]]);
  });

  it('opens its context at the first call, keeps it, and depends on no header by itself', async () => {
    const context = { session: 'anonymous' };
    const contexts: unknown[] = [];
    server = await serveSteps<typeof context>(
      () => [
        async (exchange) => {
          const first = exchange.context();
          contexts.push(first === exchange.context(), await first);
          return empty;
        },
      ],
      context,
    );
    const { headers } = await server.get('/');
    expect(contexts).toEqual([true, context]);
    expect(headers.get('vary')).toBeNull();
  });
});

describe('the signal of an exchange', () => {
  it('aborts when the client disconnects before the response is complete', async () => {
    let aborted = 0;
    const bodies: string[] = [];
    await serve(async (exchange) => {
      bodies.push(String(await exchange.readBody(2)));
      return new Promise((resolve) =>
        exchange.signal.addEventListener('abort', () => {
          aborted += 1;
          resolve(empty);
        }),
      );
    });
    const wire = await sendLines('POST / HTTP/1.1', 'host: a', 'content-length: 2');
    wire.write('hi');
    await expect.poll(() => bodies).toEqual(['hi']);
    wire.destroy();
    await expect.poll(() => aborted).toBe(1);
    // No response was sent.
    await expect.poll(() => server.lines()).toMatchObject([{ status: 499 }]);
  });

  it('aborts at once when the client has disconnected before it is read', async () => {
    const states: boolean[] = [];
    let isWaiting = false;
    await serve(async (exchange) => {
      isWaiting = true;
      await expect.poll(() => exchange.request.socket.destroyed).toBe(true);
      states.push(exchange.signal.aborted);
      return empty;
    });
    const wire = await sendLines('GET / HTTP/1.1', 'host: a');
    await expect.poll(() => isWaiting).toBe(true);
    wire.destroy();
    await expect.poll(() => states).toEqual([true]);
  });

  it('does not abort after a complete response', async () => {
    const exchanges: Exchange[] = [];
    await serve((exchange) => {
      exchanges.push(exchange);
      return exchange.signal.aborted ? null : { status: 200, headers: {}, body: 'complete' };
    });
    const wire = await sendLines('GET / HTTP/1.1', 'host: a', 'connection: close');
    expect(await wire.readUntilClosed()).toMatch(/complete$/);
    await expect.poll(() => exchanges[0]?.response.closed).toBe(true);
    expect(exchanges[0]?.signal.aborted).toBe(false);
  });

  it.each([
    ['was read before', true],
    ['is read later', false],
  ])('aborts when another response is sent than that of the steps, and it %s', async (_when, isRead) => {
    const states: boolean[] = [];
    await serve((exchange) => {
      if (isRead) states.push(exchange.signal.aborted);
      states.push(exchange.isAbandoned);
      exchange.abandon();
      states.push(exchange.isAbandoned, exchange.signal.aborted);
      return empty;
    });
    await server.get('/');
    expect(states).toEqual(isRead ? [false, false, true, true] : [false, true, true]);
  });
});
