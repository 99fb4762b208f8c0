/** `npm run doctor` with a running site, directly and behind proxies that are not configured well. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runDoctor, SESSION_SECRETS } from '../../../tools/doctor/tests/support/doctor-process.ts';
import { closeServer, listenOnLoopback } from '../../support/http/loopback-server.ts';
import { startLocalCloud } from '../../support/local-cloud.ts';
import { freePort, type Site, startSite } from '../../support/processes/site.ts';

type Behavior = {
  /** The Host header that the site receives; by default that of the request. */
  host?: string;
  /** Changes the head of a response. */
  change?: (incoming: IncomingMessage, response: ServerResponse) => void;
};

let cloud: LocalCloud;
let site: Site;
let environment: Record<string, string>;
/** What the proxy in front of the site does. */
let behavior: Behavior = {};
const servers: Server[] = [];

beforeAll(async () => {
  cloud = await startLocalCloud();
  const port = await freePort();
  const appOrigin = await startProxy(port);
  environment = { APP_ORIGIN: appOrigin, SESSION_SECRETS, ...cloud.environment({ appOrigin }) };
  site = await startSite(port, { ...environment, LOG_LEVEL: 'silent' });
});
beforeEach(() => {
  behavior = {};
});
afterAll(async () => {
  await site.stop();
  await Promise.all(servers.map(closeServer));
  await cloud.close();
});

const diagnose = (changes: Record<string, string> = {}) => {
  if (changes.APP_ORIGIN) cloud.environment({ appOrigin: changes.APP_ORIGIN });
  return runDoctor({ ...environment, ...changes });
};

/** Starts a proxy to a site on this machine. */
function startProxy(port: number): Promise<string> {
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, ...(behavior.host ? { host: behavior.host } : {}) };
    const options = { port, path: incoming.url, method: incoming.method, headers };
    const outgoing = request(options, (answer) => {
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value !== undefined) response.setHeader(name, value);
      }
      response.statusCode = answer.statusCode ?? 502;
      behavior.change?.(incoming, response);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  servers.push(server);
  return listenOnLoopback(server);
}

describe('a running site', () => {
  it('with this configuration is healthy', async () => {
    const { exitCode, output, problems } = await diagnose();
    expect({ exitCode, problems }).toEqual({ exitCode: 0, problems: [] });
    expect(output).toContain('ok           The running site has this configuration');
  });

  it('with another app client is named', async () => {
    const { exitCode, output, problems } = await diagnose(cloud.environment({ client: 'plain' }));
    expect({ exitCode, problems }).toEqual({ exitCode: 1, problems: [expect.any(String)] });
    expect(output).toContain('another value of COGNITO_CLIENT_ID');
    expect(output).toContain('Fix: Deploy the configuration and restart the site');
  });

  it('is unreachable behind another server, which is named', async () => {
    const server = createServer((_, response) => response.end('<h1>It works!</h1>'));
    servers.push(server);
    const { exitCode, output, problems } = await diagnose({ APP_ORIGIN: await listenOnLoopback(server) });
    expect({ exitCode, problems }).toEqual({ exitCode: 1, problems: [expect.any(String)] });
    expect(output).toContain('Fix: Correct APP_ORIGIN');
  });
});

describe('a proxy', () => {
  it('that changes the Host header is named', async () => {
    behavior = { host: 'backend.internal' };
    const { exitCode, output, problems } = await diagnose();
    expect({ exitCode, problems }).toEqual({ exitCode: 1, problems: [expect.any(String)] });
    expect(output).toContain('Fix: Configure the proxy to pass the Host header unchanged');
  });

  it.each<[string, string, NonNullable<Behavior['change']>]>([
    [
      'Cache-Control',
      'Cache-Control is missing or changed',
      (_, response) => response.removeHeader('cache-control'),
    ],
    ['Set-Cookie', 'Set-Cookie is missing or changed', (_, response) => response.removeHeader('set-cookie')],
    ['Location', 'Location is missing or changed', (_, response) => response.removeHeader('location')],
  ])('that changes %s is named', async (_, text, change) => {
    behavior = { change };
    const { exitCode, output, problems } = await diagnose();
    expect({ exitCode, problems }).toEqual({ exitCode: 1, problems: [expect.any(String)] });
    expect(output).toContain(text);
  });

  it.runIf(spawnSync('openssl', ['version']).status === 0)(
    'with an invalid certificate is named',
    async () => {
      const server = createHttpsServer(selfSigned(), (_, response) => response.end());
      servers.push(server);
      const origin = (await listenOnLoopback(server)).replace('http:', 'https:');
      const { exitCode, output, problems } = await diagnose({ APP_ORIGIN: origin, TRUSTED_PROXIES: '1' });
      expect({ exitCode, problems }).toEqual({ exitCode: 1, problems: [expect.any(String)] });
      expect(output).toContain('Fix: Install a certificate for this host name');
    },
  );
});

/** A new key with a certificate that nobody else has signed. */
function selfSigned(): { key: string; cert: string } {
  const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
  try {
    const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(directory, name));
    const name = ['-subj', '/CN=localhost', '-days', '1'];
    spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      ...name,
      '-keyout',
      `${key}`,
      '-out',
      `${cert}`,
    ]);
    return { key: readFileSync(`${key}`, 'utf8'), cert: readFileSync(`${cert}`, 'utf8') };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
