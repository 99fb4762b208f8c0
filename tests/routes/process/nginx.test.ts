/** The built site behind a real nginx with the configuration that the repository ships, over TLS. */
import { randomBytes } from 'node:crypto';
import type { Agent } from 'node:https';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { getOverHttp2 } from '../../support/http/http2-request.ts';
import { sendRaw } from '../../support/http/raw-request.ts';
import { acceptsConnections } from '../../support/http/raw-socket.ts';
import { shippedQuery } from '../../support/http/shipped-operations.ts';
import { formSubmission } from '../../support/http/site-requests.ts';
import { startLocalCloud } from '../../support/local-cloud.ts';
import {
  LONG_NOTICE,
  startKeepAliveLoad,
  waitForResponses,
  waitUntilNotReady,
} from '../../support/processes/keep-alive-load.ts';
import { hasNginx } from '../../support/processes/nginx.ts';
import { type SiteBehindNginx, startSiteBehindNginx } from '../../support/processes/site-behind-nginx.ts';
import { registerSecret } from '../../support/secrets/secret-detection.ts';
import { createSiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';
import { examplePath, other, otherHome } from '../../support/this-site.ts';
import { startUnfilteredCloud } from '../../support/upstreams/unfiltered-cloud.ts';

const MEBIBYTE = 1024 * 1024;
const list = (origin: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin },
  body: JSON.stringify(shippedQuery),
});

describe.skipIf(!hasNginx /* nginx is optional */)('the site behind nginx', () => {
  let cloud: LocalCloud;
  let stack: SiteBehindNginx;
  let agent: Agent;

  beforeAll(async () => {
    cloud = await startLocalCloud({ onSecret: registerSecret });
    stack = await startSiteBehindNginx((appOrigin) => ({
      ...cloud.environment({ appOrigin }),
      // Six requests to /preferences.
      RATE_LIMIT_SCALE: '0.1',
    }));
    agent = stack.connect();
  });
  afterAll(async () => {
    agent.destroy();
    await stack.stop();
    await cloud.close();
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    sendRaw(stack.origin, { path, headers }, agent);

  it('renders pages with addresses of the public origin', async () => {
    const { status, headers, body } = await get(otherHome);
    expect(status).toBe(200);
    expect(body).toContain(`<link rel="canonical" href="${stack.origin}${otherHome}"`);
    expect(headers['strict-transport-security']).toMatch(/^max-age=\d{8}/);
    expect(headers.server, 'without a version').toBe('nginx');
  });

  it('sends the same page to many visitors at once', async () => {
    const startedAt = performance.now();
    const responses = await Promise.all(Array.from({ length: 16 }, () => get(otherHome)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(performance.now() - startedAt, 'one after the other they take five seconds').toBeLessThan(4500);
  });

  it('redirects plain HTTP to the same address with https', async () => {
    const plain = `http://localhost:${stack.httpPort}`;
    const { status, headers } = await sendRaw(plain, { path: `${examplePath(other)}?a=%2F` });
    expect(status).toBe(301);
    expect(headers.location).toBe(`${stack.origin}${examplePath(other)}?a=%2F`);
  });

  it('refuses calls of an API over plain HTTP', async () => {
    const { status, headers } = await sendRaw(`http://localhost:${stack.httpPort}`, {
      path: '/api/identity',
    });
    expect(status).toBe(403);
    expect(headers).not.toHaveProperty('location');
  });

  it('accepts TLS 1.2 with forward secrecy and authenticated encryption only, and prefers TLS 1.3', async () => {
    const negotiate = (options: ConnectionOptions) =>
      new Promise<string>((resolve) => {
        const ca = stack.nginx.certificate;
        const port = Number(new URL(stack.origin).port);
        const socket = connectTls({ port, host: 'localhost', ca, ...options });
        socket.on('secureConnect', () => {
          resolve(`${socket.getProtocol()}`);
          socket.end();
        });
        socket.on('error', () => resolve('refused'));
      });
    expect(await negotiate({})).toBe('TLSv1.3');
    const tls12 = { maxVersion: 'TLSv1.2' } as const;
    expect(await negotiate({ ...tls12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).toBe('TLSv1.2');
    expect(await negotiate({ ...tls12, ciphers: 'ECDHE-ECDSA-AES128-SHA256' }), 'CBC').toBe('refused');
    const tls11 = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    expect(await negotiate(tls11)).toBe('refused');
  });

  it('can be reached through nginx only', async () => {
    expect(await acceptsConnections(stack.sitePort, '127.0.0.1')).toBe(true);
    // Another address of the same machine stands for one that is reachable from outside.
    expect(await acceptsConnections(stack.sitePort, '127.0.0.2')).toBe(false);
  });

  it('supports HTTP/2, and passes on the Host of the visitor unchanged', async () => {
    const { status, body } = await getOverHttp2(stack.origin, stack.nginx.certificate, otherHome);
    expect(status).toBe(200);
    expect(/<html lang="([\w-]+)"/.exec(body.toString())?.[1]).toBe(other.iso);
    expect((await get(otherHome, { host: 'evil.example' })).status).toBe(421);
  });

  it.each(['/%2e%2e/secret', `${otherHome}/`, `${otherHome}%2Fx`, `${otherHome}//x`])(
    'passes the path %s on unchanged',
    async (path) => {
      const direct = await sendRaw(`http://127.0.0.1:${stack.sitePort}`, {
        path,
        headers: { host: new URL(stack.origin).host },
      });
      const proxied = await get(path);
      expect(proxied.status).toBe(direct.status);
      expect(proxied.headers.location).toBe(direct.headers.location);
    },
  );

  it('signs a visitor up with secure cookies, and calls the data API', async () => {
    const ada = createSiteVisitor(stack.origin, agent);
    const start = await ada.request('/auth/sign-in');
    expect(start.headers['set-cookie']?.[0]).toMatch(/^__Host-oauth.*; Secure/);
    await ada.signUp(cloud, { email: 'ada@example.com', password: 'Correct-Horse-7' });
    const { status, body } = await ada.request('/api/graphql', list(stack.origin));
    expect(status, body).toBe(200);
    expect(Object.values(JSON.parse(body).data)).toEqual([{ items: [], nextToken: null }]);
  });

  it('logs no authorization code', async () => {
    const bob = createSiteVisitor(stack.origin, agent);
    await bob.signUp(cloud, { email: 'bob@example.com', password: 'Correct-Horse-7' });
    const logs = stack.nginx.logs();
    expect(logs).toContain('"GET /auth/callback HTTP/1.1" 302');
    expect(logs).not.toMatch(/code=|state=/);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
    ['identity', (body: Buffer) => body],
  ] as const)('compresses a page once (%s)', async (coding, decode) => {
    const { certificate } = stack.nginx;
    const { headers, body } = await getOverHttp2(stack.origin, certificate, otherHome, {
      'accept-encoding': coding,
    });
    expect(headers['content-encoding']).toBe(coding === 'identity' ? undefined : coding);
    expect(Number(headers['content-length'])).toBe(body.length);
    expect(decode(body).toString()).toContain('</html>');
  });

  it('leaves a small response uncompressed, as the site does', async () => {
    const { headers } = await get('/robots.txt', { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each([otherHome, '/favicon.svg'])('responds to a conditional request for %s with 304', async (path) => {
    const { headers } = await get(path);
    expect(headers.etag).toBeDefined();
    const again = await get(path, { 'if-none-match': headers.etag ?? '' });
    expect(again.status).toBe(304);
    expect(again.body).toBe('');
  });

  it('shows the site’s own error for a body of more than 1 MiB', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      const request = { ...list(stack.origin), body: Buffer.alloc(1.9 * MEBIBYTE, ' ') };
      const { status, headers, body } = await sendRaw(
        stack.origin,
        { path: '/api/graphql', ...request },
        agent,
      );
      expect(status).toBe(413);
      expect(headers['x-request-id']).toBeDefined();
      expect(body).not.toContain('nginx');
    }
  });

  it('shows the site’s own error for a head of more than 32 kB', async () => {
    const { status, body } = await get('/', {
      'x-a': 'a'.repeat(20_000),
      'x-b': 'b'.repeat(20_000),
    });
    expect(status).toBe(431);
    expect(body).not.toContain('nginx');
  });

  it('sends many requests over one connection to the site', async () => {
    await get(otherHome);
    const before = stack.connections();
    for (let request = 0; request < 100; request++) expect((await get('/robots.txt')).status).toBe(200);
    expect(stack.connections() - before).toBeLessThanOrEqual(1);
  });

  it('limits requests by the address of the visitor, whatever the visitor states', async () => {
    const form = (address: string) =>
      formSubmission({ theme: 'dark' }, { origin: stack.origin, 'x-forwarded-for': address });
    const statuses: number[] = [];
    for (let request = 0; request < 8; request++) {
      const options = { path: '/preferences', ...form(`192.0.2.${request}`) };
      statuses.push((await sendRaw(stack.origin, options, agent)).status);
    }
    expect(statuses.slice(0, 6)).not.toContain(429);
    expect(statuses.at(-1)).toBe(429);
    const elsewhere = stack.connect({ localAddress: '127.0.0.3' });
    const fromElsewhere = await sendRaw(
      stack.origin,
      { path: '/preferences', ...form('192.0.2.7') },
      elsewhere,
    );
    elsewhere.destroy();
    expect(fromElsewhere.status).toBe(303);
  });
});

describe.skipIf(!hasNginx /* nginx is optional */)('a session of more than 20 kB behind nginx', () => {
  it('is set, sent and deleted', async () => {
    const claims = { 'cognito:groups': Array.from({ length: 110 }, () => randomBytes(32).toString('hex')) };
    const texts = { name: 'Ada', email: 'ada@example.com', messages: ['hello'], claims };
    const cloud = await startUnfilteredCloud(texts);
    onTestFinished(() => cloud.close());
    const { origin, connect, stop } = await startSiteBehindNginx(() => cloud.environment);
    onTestFinished(stop);
    const agent = connect();
    onTestFinished(() => agent.destroy());
    const ada = createSiteVisitor(origin, agent);
    const { headers } = await ada.request('/auth/sign-in');
    const callback = await ada.request(cloud.signIn(new URL(headers.location ?? '')));
    expect(callback.status).toBe(302);
    expect(callback.headers['set-cookie']?.length).toBeGreaterThan(5);
    expect(ada.cookies.header().length).toBeGreaterThan(20_000);
    const page = await ada.request(examplePath());
    expect(page.status).toBe(200);
    expect(page.body).toContain('Ada');
    await ada.request('/auth/sign-out', formSubmission({ returnTo: '/' }));
    expect([...ada.cookies.cookies.keys()].filter((name) => name.includes('session'))).toEqual([]);
  });
});

describe.skipIf(!hasNginx /* nginx is optional */)('a graceful shutdown behind nginx', () => {
  let cloud: LocalCloud;
  let stack: SiteBehindNginx;

  async function start(environment: Record<string, string> = {}) {
    cloud = await startLocalCloud({ onSecret: registerSecret });
    stack = await startSiteBehindNginx((appOrigin) => ({
      ...cloud.environment({ appOrigin }),
      ...environment,
    }));
  }
  afterEach(async () => {
    await stack.stop();
    await cloud.close();
  });

  it('completes a request in progress', async () => {
    await start({ DRAIN_SECONDS: '1' });
    const agent = stack.connect();
    const ada = await signUpVisitor({ site: stack, cloud }, agent, 'ada@example.com');
    // Longer than load balancers still send requests to the site.
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'slow', delayMs: 1500 }] });
    cloud.faults.forgetCalls();
    const slow = ada.request('/api/graphql', list(stack.origin));
    await expect.poll(() => cloud.faults.calls.graphql).toBeDefined();
    const exited = stack.site.stop('SIGTERM');
    expect((await slow).status).toBe(200);
    expect(await exited).toBe(0);
    agent.destroy();
  });

  it('fails no request that arrives while the site drains', async () => {
    await start(LONG_NOTICE);
    const { statuses, stop } = startKeepAliveLoad(stack.origin, stack.connect({ maxSockets: 20 }));
    await waitForResponses(statuses, 20);
    const exited = stack.site.stop('SIGTERM');
    await waitUntilNotReady(stack.site.origin);
    await waitForResponses(statuses, 20);
    await stop();
    expect(await exited).toBe(0);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});
