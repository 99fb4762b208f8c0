import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { isEventStream } from '../../../../app/server/http/event-streams.ts';
import { type StepServer, serveSteps } from '../../../support/http/step-server.ts';

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

  it('ends with all others', async () => {
    await serveStream();
    const response = await server.get('/');
    server.eventStreams.endAll();
    expect(await response.text()).toBe('');
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
