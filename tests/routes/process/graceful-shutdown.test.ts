import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { describe, expect, it, type TestContext } from 'vitest';
import { shutdownDeadlineMs } from '../../../packages/site-server/src/graceful-shutdown.ts';
import { openRawSocket, parseStatuses } from '../../support/http/raw-socket.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import {
  LONG_NOTICE,
  startKeepAliveLoad,
  waitForResponses,
  waitUntilNotReady,
} from '../../support/processes/keep-alive-load.ts';
import { type Stack, startStack } from '../../support/processes/stack.ts';
import { findSecret } from '../../support/secrets/secret-detection.ts';
import { bundleCommand } from '../../support/setup/bundled-command.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { other, otherHome } from '../../support/this-site.ts';

/** A call of the data API. */
const shippedCall = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: shippedQuery.query }),
};

// Most tests run at the same time, because they wait. Each uses its own context.

/** The notice of the faulty process. */
const NOTICE_MS = 2000;
/** Longer than a busy machine needs to open a thousand streams, and to read their ends. */
const AMPLE_NOTICE_MS = 10_000;

async function startOwnStack(
  { onTestFinished }: TestContext,
  environment: Record<string, string> = {},
): Promise<Stack> {
  const stack = await startStack({ environment });
  onTestFinished(() => stack.cloud.close());
  return stack;
}

/** Returns the milliseconds since the log line of the shutdown's begin. Timers may fire a few of them early. */
function sinceDraining(output: string): number {
  const { time } = JSON.parse(/^\{.*"draining".*$/m.exec(output)?.[0] ?? '{}');
  return Date.now() - Date.parse(time);
}

// Alone, because the load would delay the other tests.
// threat-model: T-063
it('responds to all requests over keep-alive connections until the load balancer stops, and exits with 0', async (test) => {
  const { site } = await startOwnStack(test, LONG_NOTICE);
  const { statuses, stop } = startKeepAliveLoad(site.origin);
  await waitForResponses(statuses, 100);

  const exited = site.stop('SIGTERM');
  await waitUntilNotReady(site.origin);
  const late = await fetch(`${site.origin}/robots.txt`);
  expect(late.headers.get('connection'), 'so that no request follows on the connection').toBe('close');
  await waitForResponses(statuses, 20);
  await stop();

  expect(await exited).toBe(0);
  expect(sinceDraining(site.output())).toBeGreaterThanOrEqual(Number(LONG_NOTICE.DRAIN_SECONDS) * 1000 - 10);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
});

describe.concurrent('requests in progress', () => {
  // threat-model: T-063
  it.for([
    // The signal, and a delay that is longer than the time for which load balancers still send requests.
    ['SIGINT', 1000],
    ['SIGTERM', 1500],
  ] as const)('are responded to before the process exits with 0 (%s)', async ([signal, delayMs], test) => {
    const { site, cloud } = await startOwnStack(test, { DRAIN_SECONDS: '1' });
    const ada = await signUpVisitor({ site, cloud }, new Agent(), 'ada@example.com');
    // Fetches the credentials, so that the whole deadline of the next call is for the data API.
    await ada.request('/api/graphql', shippedCall);
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'slow', delayMs }] });
    cloud.faults.forgetCalls();
    const response = ada.request('/api/graphql', shippedCall);
    await test.expect.poll(() => cloud.faults.calls.graphql).toBeDefined();
    const exited = site.stop(signal);
    expect((await response).status).toBe(200);
    expect(await exited).toBe(0);
  });
});

it('a form that does not arrive completely gets 503 in the language of its page before the process exits with 0', async (test) => {
  const { site } = await startOwnStack(test);
  const wire = await openRawSocket(site.origin);
  const head = [`POST ${otherHome} HTTP/1.1`, `host: ${new URL(site.origin).host}`];
  const form = ['content-type: application/x-www-form-urlencoded', 'content-length: 9', '', 'a=b'];
  wire.write([...head, 'sec-fetch-site: same-origin', ...form].join('\r\n'));
  await fetch(`${site.origin}/healthz`);
  const exited = site.stop('SIGINT');
  const received = await wire.readUntilClosed();
  expect(parseStatuses(received)).toEqual([503]);
  expect(received).toMatch(/^retry-after: 1\r\n/im);
  expect(received).toMatch(/^connection: close\r\n/im);
  expect(received).toContain(`<html lang="${other.iso}" dir="${other.dir}">`);
  // The line is written after the response.
  expect(await exited).toBe(0);
  expect(site.output()).toMatch(
    new RegExp(`"route":"index___${other.code}".*"status":503.*"ResponseTimeout"`),
  );
});

// Alone, because the data API has a deadline.
it('a session that is refreshed during the shutdown is sent in all of its cookies', async (test) => {
  const { site, cloud } = await startOwnStack(test, LONG_NOTICE);
  const visitors = ['/api/graphql', '/api/graphql?'].map(
    (path) => [path, createSiteVisitor(site.origin, new Agent())] as const,
  );
  cloud.faults.set({ tokenSeconds: 4 });
  for (const [index, [, visitor]] of visitors.entries()) {
    await visitor.signUp(cloud, { email: `visitor-${index}@example.com`, password: PASSWORD });
  }
  const exited = site.stop('SIGTERM');
  await waitUntilNotReady(site.origin);
  const responses = visitors.map(async ([path, visitor]) => ({
    path,
    ...(await visitor.request(path, shippedCall)),
  }));
  for (const { path, status, headers } of await Promise.all(responses)) {
    expect(status, path).toBe(200);
    expect(headers.connection, path).toBe('close');
    const names = headers['set-cookie']?.map((line) => line.slice(0, line.indexOf('=')));
    expect(names, path).toEqual(['session', 'session.1']);
  }
  expect(await exited).toBe(0);
});

describe.concurrent.each([
  // Browsers open connections in advance.
  ['connections without a request', ''],
  ['connections with an unfinished request head', 'GET / HTTP/1.1\r\nhost: '],
])('%s', (_what, bytes) => {
  // threat-model: T-063
  it.for(['SIGINT', 'SIGTERM'] as const)('do not delay the shutdown (%s)', async (signal, test) => {
    const { site } = await startOwnStack(test);
    const wires = await Promise.all(Array.from({ length: 50 }, () => openRawSocket(site.origin)));
    for (const wire of wires) wire.write(bytes);
    // The site has accepted the connections once it responds to a later request.
    await fetch(`${site.origin}/healthz`);
    // At the deadline it would exit with 1.
    expect(await site.stop(signal)).toBe(0);
    await Promise.all(wires.map((wire) => wire.readUntilClosed()));
  });
});

describe.concurrent('a process with an unexpected error', () => {
  async function startFaulty({ expect, onTestFinished }: TestContext, noticeMs = NOTICE_MS) {
    const server = await bundleCommand('tests/support/processes/faulty-server.ts');
    const child = spawn(process.execPath, [server], {
      env: { ...process.env, NOTICE_MS: String(noticeMs) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const exited = once(child, 'exit').then(([code]) => code as number | null);
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(() => output).toMatch(/port \d+/);
    return {
      origin: `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}`,
      output: () => output,
      exited,
      signal: (signal: NodeJS.Signals) => void child.kill(signal),
    };
  }

  it('exits with 1 at the second signal, and ten seconds after the first, whatever is still open', async (test) => {
    const [signaledTwice, signaledOnce] = await Promise.all([startFaulty(test), startFaulty(test)]);
    const open = await Promise.all(
      [signaledTwice, signaledOnce].map(({ origin }) => fetch(`${origin}/endless`)),
    );
    const endings = open.map((response) => response.text().catch(() => 'cut off'));

    for (const { signal, output } of [signaledOnce, signaledTwice]) {
      signal('SIGTERM');
      await test.expect.poll(output).toContain('draining');
    }
    signaledTwice.signal('SIGTERM');
    expect(await signaledTwice.exited).toBe(1);
    // The other process got its first signal earlier, so that its deadline is earlier.
    expect(await Promise.race([signaledOnce.exited, 'still open'])).toBe('still open');
    expect(await signaledOnce.exited).toBe(1);
    expect(sinceDraining(signaledOnce.output())).toBeGreaterThanOrEqual(shutdownDeadlineMs(NOTICE_MS) - 10);
    expect(await Promise.all(endings)).toEqual(['cut off', 'cut off']);
  });

  it('ends streams of events at once, and exits with 0 when the services have stopped', async (test) => {
    const { origin, output, exited, signal } = await startFaulty(test, AMPLE_NOTICE_MS);
    const streams = await Promise.all(Array.from({ length: 1000 }, () => fetch(`${origin}/events`)));
    const received = Promise.all(streams.map((response) => response.text()));
    signal('SIGTERM');
    // Each says when to connect again.
    const texts = (await received).map((text) => text.replace(/retry: [1-6]\d{3}\n\n$/, 'retry'));
    expect(new Set(texts)).toEqual(new Set(['data: first\n\nretry']));
    expect(await (await fetch(`${origin}/`)).text()).toBe('ok');
    expect(await exited).toBe(0);
    expect(output()).toMatch(/"openStreams":0,"msg":"services stopped"/);
  });

  it.for([
    ['exception', 'uncaughtException'],
    ['rejection', 'unhandledRejection'],
  ] as const)(
    'shuts down gracefully after an unhandled %s, and logs it without the values in its message',
    async ([path, origin], test) => {
      const faulty = await startFaulty(test, AMPLE_NOTICE_MS);
      const slow = fetch(`${faulty.origin}/slow`).then((response) => response.text());
      await fetch(`${faulty.origin}/${path}`).then((response) => response.text());
      const late = await fetch(`${faulty.origin}/`);
      expect(late.headers.get('connection')).toBe('close');
      expect(await slow).toBe('slow');
      expect(await faulty.exited).toBe(1);
      const logged = JSON.parse(/^\{.*"fatal".*$/m.exec(faulty.output())?.[0] ?? '{}');
      expect(logged).toMatchObject({
        level: 'fatal',
        origin,
        err: { stack: expect.stringContaining('at ') },
      });
      expect(findSecret(faulty.output())).toBeNull();
      expect(faulty.output()).not.toContain('c2VjcmV0LWNsYWltcy1vZi1hLXRva2Vu');
    },
  );
});
