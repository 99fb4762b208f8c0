import { type AppLoadContext, createRequestHandler } from '@remix-run/node';
import { afterEach, describe, expect, it } from 'vitest';
import { createBodyLimits } from '../../../../app/server/rendering/body-limits.ts';
import { createRemixStep } from '../../../../app/server/rendering/remix-step.ts';
import { minimalBuild } from '../../../support/advisories/minimal-build.ts';
import { type StepServer, serveSteps } from '../../../support/http/step-server.ts';

let server: StepServer;
afterEach(() => server.close());

/** A server whose resource route returns the response, and the visitors whose pages were limited. */
async function serve(respond: () => Response, session: object = { state: 'anonymous' }) {
  const limited: string[] = [];
  // A step reads nothing else of the context.
  const context = { session } as unknown as AppLoadContext;
  const build = minimalBuild(respond);
  server = await serveSteps<AppLoadContext>(
    (appOrigin) => [
      (exchange) => {
        exchange.routeId = exchange.path === '/resource' ? 'resource' : 'all';
        return null;
      },
      createRemixStep({
        build,
        renderPage: createRequestHandler(build),
        env: { appOrigin },
        bodyLimits: createBodyLimits(),
        addressOf: () => '192.0.2.1',
        limitRendering: (_exchange, visitor, render) => {
          limited.push(visitor);
          return render();
        },
        reject: (_exchange, { status, code }) => ({ status, headers: {}, body: code }),
      }),
    ],
    context,
  );
  return limited;
}

describe('the step that runs Remix', () => {
  it('passes a stream of events of a resource route on, event by event', async () => {
    let send = (_text: string) => {};
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        send = (text) => controller.enqueue(new TextEncoder().encode(text));
      },
    });
    await serve(() => new Response(source, { headers: { 'content-type': 'text/event-stream' } }));
    const response = await server.get('/resource');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    send('data: one\n\n');
    expect(await reader?.read()).toEqual({ done: false, value: 'data: one\n\n' });
    await reader?.cancel();
  });

  // threat-model: T-089
  it('limits pages, and not resource routes', async () => {
    const limited = await serve(() => new Response('text', { headers: { 'content-type': 'text/plain' } }));
    expect(await (await server.get('/resource')).text()).toBe('text');
    expect(limited).toEqual([]);
    await server.get('/');
    expect(limited).toEqual(['192.0.2.1']);
  });

  // threat-model: T-089
  it('limits the pages of an account together, however often it is signed in', async () => {
    const session = { state: 'signed-in', id: 'one of many', user: { sub: 'account' } };
    const limited = await serve(() => new Response('page'), session);
    await server.get('/');
    expect(limited).toEqual(['account']);
  });

  // threat-model: T-087
  it('rejects a form that is too large before a route runs', async () => {
    let runs = 0;
    await serve(() => {
      runs += 1;
      return new Response('ran');
    });
    const response = await server.get('/resource', { method: 'POST', body: 'x'.repeat(64 * 1024 + 1) });
    expect([response.status, await response.text(), runs]).toEqual([413, 'BodyTooLarge', 0]);
  });
});
