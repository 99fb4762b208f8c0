import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SHUTDOWN_DEADLINE_MS } from '../../../app/server/http/graceful-shutdown.ts';
import { openRawSocket } from '../../support/http/raw-socket.ts';
import { shippedQuery } from '../../support/local-cloud/shipped-operations.ts';
import { startKeepAliveLoad, waitUntilNotReady } from '../../support/processes/keep-alive-load.ts';
import { startStack } from '../../support/processes/stack.ts';
import { findSecret } from '../../support/secrets/secret-detection.ts';
import { PASSWORD } from '../../support/sign-in/hosted-login.ts';
import { createSiteVisitor } from '../../support/sign-in/site-visitor.ts';

describe('graceful shutdown', () => {
  // threat-model: T-063
  it('responds to all requests over keep-alive connections until the load balancer stops, and exits with 0', async () => {
    const { site, cloud } = await startStack();
    onTestFinished(() => cloud.close());
    const { statuses, stop } = startKeepAliveLoad(site.origin);
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(100), { timeout: 20_000 });

    const before = statuses.length;
    const exited = site.stop('SIGTERM');
    await waitUntilNotReady(site.origin);
    const late = await fetch(`${site.origin}/robots.txt`);
    expect(late.headers.get('connection'), 'so that no request follows on the connection').toBe('close');
    await stop();

    expect(await exited).toBe(0);
    expect(statuses.length).toBeGreaterThan(before);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  }, 60_000);

  // threat-model: T-063
  it.each([
    // The signal, and a delay that is longer than the time for which load balancers still send requests.
    ['SIGINT', 1000],
    ['SIGTERM', 3000],
  ] as const)(
    'responds to requests in progress, and then exits with 0 (%s)',
    async (signal, delayMs) => {
      const { site, cloud } = await startStack();
      onTestFinished(() => cloud.close());
      const ada = createSiteVisitor(site.origin, new Agent());
      await ada.signUp(cloud, { email: 'ada@example.com', password: PASSWORD });
      cloud.faults.set({ faults: [{ service: 'graphql', kind: 'slow', delayMs }] });
      cloud.faults.forgetCalls();
      const response = ada.request('/test-message');
      await vi.waitFor(() => expect(cloud.faults.calls.graphql).toBeDefined(), { timeout: 5000 });
      const exited = site.stop(signal);
      expect((await response).status).toBe(200);
      expect(await exited).toBe(0);
    },
    60_000,
  );
});

describe('a session that is refreshed during the shutdown', () => {
  it.each(['/api/graphql', '/api/graphql?'])(
    'is sent in all of its cookies by %s',
    async (path) => {
      const { site, cloud } = await startStack();
      onTestFinished(() => cloud.close());
      const ada = createSiteVisitor(site.origin, new Agent());
      cloud.faults.set({ tokenSeconds: 4 });
      await ada.signUp(cloud, { email: 'ada@example.com', password: PASSWORD });
      const exited = site.stop('SIGTERM');
      await waitUntilNotReady(site.origin);
      const { status, headers } = await ada.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: shippedQuery.query }),
      });
      expect(status).toBe(200);
      expect(headers.connection).toBe('close');
      const names = headers['set-cookie']?.map((line) => line.slice(0, line.indexOf('=')));
      expect(names).toEqual(['__Host-session', '__Host-session.1']);
      expect(await exited).toBe(0);
    },
    60_000,
  );
});

describe.each([
  // Browsers open connections in advance.
  ['connections without a request', ''],
  ['connections with an unfinished request head', 'GET /fr HTTP/1.1\r\nhost: '],
])('%s', (_what, bytes) => {
  // threat-model: T-063
  it.each(['SIGINT', 'SIGTERM'] as const)(
    'do not delay the shutdown (%s)',
    async (signal) => {
      const { site, cloud } = await startStack();
      onTestFinished(() => cloud.close());
      const wires = await Promise.all(Array.from({ length: 50 }, () => openRawSocket(site.origin)));
      for (const wire of wires) wire.write(bytes);
      // The site has accepted the connections once it responds to a later request.
      await fetch(`${site.origin}/healthz`);
      const startedAt = performance.now();
      expect(await site.stop(signal)).toBe(0);
      expect(performance.now() - startedAt).toBeLessThan(7000);
      await Promise.all(wires.map((wire) => wire.readUntilClosed()));
    },
    60_000,
  );
});

describe('a process with an unexpected error', () => {
  async function startFaulty() {
    const child = spawn(process.execPath, ['--import', 'tsx', 'tests/support/processes/faulty-server.ts'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const exited = once(child, 'exit').then(([code]) => code as number | null);
    onTestFinished(() => void child.kill('SIGKILL'));
    await vi.waitFor(() => expect(output).toMatch(/port \d+/), { timeout: 20_000 });
    return {
      origin: `http://127.0.0.1:${/port (\d+)/.exec(output)?.[1]}`,
      output: () => output,
      exited,
      signal: (signal: NodeJS.Signals) => void child.kill(signal),
    };
  }

  it('exits with 1 at the second signal, and ten seconds after the first, whatever is still open', async () => {
    const [signaledTwice, signaledOnce] = await Promise.all([startFaulty(), startFaulty()]);
    const open = await Promise.all(
      [signaledTwice, signaledOnce].map(({ origin }) => fetch(`${origin}/endless`)),
    );
    const endings = open.map((response) => response.text().catch(() => 'cut off'));

    for (const { signal, output } of [signaledTwice, signaledOnce]) {
      signal('SIGTERM');
      await vi.waitFor(() => expect(output()).toContain('draining'));
    }
    const startedAt = performance.now();
    signaledTwice.signal('SIGTERM');
    expect(await signaledTwice.exited).toBe(1);
    expect(performance.now() - startedAt).toBeLessThan(SHUTDOWN_DEADLINE_MS / 2);
    expect(await Promise.race([signaledOnce.exited, 'still open'])).toBe('still open');
    expect(await signaledOnce.exited).toBe(1);
    expect(performance.now() - startedAt).toBeGreaterThan(SHUTDOWN_DEADLINE_MS / 2);
    expect(await Promise.all(endings)).toEqual(['cut off', 'cut off']);
  }, 60_000);

  it.each([
    ['exception', 'uncaughtException'],
    ['rejection', 'unhandledRejection'],
  ])(
    'shuts down gracefully after an unhandled %s, and logs it without the values in its message',
    async (path, origin) => {
      const faulty = await startFaulty();
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
    60_000,
  );
});
