import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type StepServer, serveSteps } from '../../../tests/support/http/step-server.ts';
import { isEventStream } from '../src/event-streams.ts';

let server: StepServer;
afterEach(() => server?.close());

/** A server whose only response is a stream, and what the test sends through it. */
async function serveStream() {
  const state = { isCanceled: false, send: (_text: string) => {} };
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      state.send = (text) => controller.enqueue(new TextEncoder().encode(text));
    },
    cancel() {
      state.isCanceled = true;
    },
  });
  server = await serveSteps(() => [
    // DOM and Node declare the same class with different types.
    () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: Readable.fromWeb(source as never),
    }),
  ]);
  return state;
}

describe('a stream of events', () => {
  it('arrives event by event, uncompressed, with its head before the first event', async () => {
    const state = await serveStream();
    const response = await server.get('/', { headers: { 'accept-encoding': 'gzip, br' } });
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (const event of ['data: one\n\n', 'data: two\n\n']) {
      state.send(event);
      expect(await reader?.read()).toEqual({ done: false, value: event });
    }
    await reader?.cancel();
  });

  // threat-model: T-151
  it('ends with all others, and says when to connect again', async () => {
    await serveStream();
    const response = await server.get('/');
    server.eventStreams.endAll();
    expect(await response.text()).toMatch(/^retry: [1-6]\d{3}\n\n$/);
  });

  // threat-model: T-150
  it('is cut off when its client reads too little, and when it ends with unread events', async () => {
    for (const endsAll of [false, true]) {
      const state = await serveStream();
      const { hostname, port } = new URL(server.origin);
      // Nothing reads from this socket.
      const client = connect({ host: hostname, port: Number(port) });
      client.write('GET / HTTP/1.1\r\nhost: site.test\r\n\r\n');
      await once(client, 'connect');
      let kilobytes = 0;
      for (; !state.isCanceled && kilobytes < 64 * 1024; kilobytes += 16) {
        state.send('x'.repeat(16 * 1024));
        await new Promise(setImmediate);
        if (endsAll && kilobytes === 512) server.eventStreams.endAll();
      }
      expect(state.isCanceled).toBe(true);
      expect(kilobytes, 'the system takes some').toBeGreaterThan(128);
      client.destroy();
      server.close();
    }
  });

  it('is canceled when the client leaves', async () => {
    const state = await serveStream();
    const client = new AbortController();
    await server.get('/', { signal: client.signal });
    expect(state.isCanceled).toBe(false);
    client.abort();
    await expect.poll(() => state.isCanceled).toBe(true);
  });
});

it.each([
  ['text/event-stream', true],
  ['text/event-stream; charset=utf-8', true],
  ['Text/Event-Stream', true],
  ['text/event-streams', false],
  [undefined, false],
])('%s as a content type names a stream of events: %s', (type, expected) => {
  expect(isEventStream(type)).toBe(expected);
});
