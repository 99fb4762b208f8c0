/** The client of AWS Amplify in a browser, against the local cloud. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findOrInstallBrowser } from '../../tools/setup/browser.mjs';
import { requireAs } from '../support/advisories/installed-package.ts';
import { closeServer } from '../support/http/loopback-server.ts';
import { startLocalCloud } from '../support/local-cloud.ts';
import { freePort } from '../support/processes/site.ts';
import { registerSecret } from '../support/secrets/secret-detection.ts';
import { completeSignUp } from '../support/sign-in/hosted-login-pages.ts';

// Vite depends on this package, and this repository does not.
const esbuild = requireAs(['vite'], 'esbuild') as { build(options: object): Promise<unknown> };

/** What `app.js` has in `window.app`, as far as this test uses it. */
type AmplifyApp = {
  signInWithRedirect(): Promise<void>;
  signOut(): Promise<void>;
  fetchAuthSession(options?: { forceRefresh: boolean }): Promise<{
    identityId?: string;
    credentials?: { accessKeyId: string };
    tokens?: { idToken?: { payload: { email?: string } }; accessToken: { toString(): string } };
  }>;
  send(query: string): Promise<unknown>;
  subscribe(query: string): void;
  events: unknown[];
};

const PAGE = '<!doctype html><title>App</title><script type="module" src="/app.js"></script>';
const folder = mkdtempSync(join(tmpdir(), 'amplify-app-'));
let cloud: LocalCloud;
let browser: Browser;
let origin = '';
const server = createServer();
/** The app has about a hundred packages. */
const INSTALL_MS = 600_000;

beforeAll(async () => {
  await buildApp();
  const [port, cloudPort] = [await freePort(), await freePort()];
  origin = `https://localhost:${port}`;
  cloud = await startLocalCloud({
    port: cloudPort,
    origin,
    siteOrigins: [origin],
    onSecret: registerSecret,
  });
  serve(port, cloudPort);
  browser = await chromium.launch({ executablePath: findOrInstallBrowser() ?? '' });
}, INSTALL_MS);

afterAll(async () => {
  await browser?.close();
  await closeServer(server);
  await cloud?.close();
  rmSync(folder, { recursive: true });
});

/** Installs the packages of the app, and puts them into one file. */
async function buildApp(): Promise<void> {
  for (const name of ['package.json', 'app.js']) cpSync(join('tests/amplify-app', name), join(folder, name));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', ['install', ...options], { cwd: folder, stdio: 'pipe' });
  await esbuild.build({
    entryPoints: [join(folder, 'app.js')],
    outfile: join(folder, 'bundle.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error',
  });
}

/**
 * Serves the app and, on the same origin, the local cloud: Amplify requires HTTPS for the hosted login, and the services of the
 * local cloud accept no cross-origin requests.
 */
function serve(port: number, cloudPort: number): void {
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...name, '-keyout', key, '-out', cert],
    { stdio: 'pipe' },
  );
  server.setSecureContext({ key: readFileSync(key), cert: readFileSync(cert) });
  const files: Record<string, [type: string, body: string]> = {
    '/': ['text/html', PAGE],
    '/auth/callback': ['text/html', PAGE],
    '/app.js': ['text/javascript', readFileSync(join(folder, 'bundle.js'), 'utf8')],
    '/config.json': ['application/json', JSON.stringify(amplifyConfig())],
  };
  server.on('request', (incoming, response) => {
    const { method, headers, url: path = '/' } = incoming;
    const [type, body] = files[path.replace(/\?.*/, '')] ?? [];
    if (type !== undefined) return void response.writeHead(200, { 'content-type': type }).end(body);
    const proxied = request({ port: cloudPort, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    proxied.on('error', () => response.destroy());
    incoming.pipe(proxied);
  });
  server.on('upgrade', ({ method, url, rawHeaders }, socket) => {
    const upstream = connect(cloudPort, '127.0.0.1');
    const lines = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? `${name}: ${rawHeaders[index + 1]}` : [],
    );
    upstream.write(`${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
    upstream.pipe(socket).pipe(upstream);
  });
  server.listen(port);
}

function amplifyConfig() {
  const environment = cloud.environment({ client: 'public' });
  return {
    Auth: {
      Cognito: {
        userPoolId: environment.COGNITO_USER_POOL_ID,
        userPoolClientId: environment.COGNITO_CLIENT_ID,
        userPoolEndpoint: environment.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER,
        identityPoolId: environment.COGNITO_IDENTITY_POOL_ID,
        identityPoolEndpoint: environment.AWS_ENDPOINT_URL_COGNITO_IDENTITY,
        allowGuestAccess: true,
        loginWith: {
          oauth: {
            domain: new URL(origin).host,
            scopes: ['openid', 'email', 'profile'],
            redirectSignIn: [`${origin}/auth/callback`],
            redirectSignOut: [`${origin}/`],
            responseType: 'code',
          },
        },
      },
    },
    API: {
      GraphQL: {
        endpoint: environment.GRAPHQL_ENDPOINT,
        region: environment.GRAPHQL_REGION,
        defaultAuthMode: 'iam',
      },
    },
  };
}

/** Returns the app of a page, which the page has when its script has run. */
const appOf = (page: Page) => page.waitForFunction<AmplifyApp>('globalThis.app');

/** Returns what the app knows about its visitor. */
async function sessionOf(page: Page, forceRefresh = false) {
  return (await appOf(page)).evaluate(
    async (app, options) => {
      const { tokens, credentials, identityId } = await app.fetchAuthSession(options);
      return {
        email: tokens?.idToken?.payload.email,
        accessToken: tokens?.accessToken.toString(),
        accessKeyId: credentials?.accessKeyId,
        identityId,
      };
    },
    { forceRefresh },
  );
}

/** Sends a GraphQL operation, signed with the credentials of the visitor. */
async function send(page: Page, query: string): Promise<unknown> {
  return (await appOf(page)).evaluate((app, text) => app.send(text), query);
}

it('signs in, refreshes, gets credentials, sends signed operations, subscribes and signs out', async () => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`${origin}/`);
  const guest = await sessionOf(page);
  expect(guest).toEqual({ identityId: expect.any(String), accessKeyId: expect.stringMatching(/^ASIA/) });

  await (await appOf(page)).evaluate((app) => void app.signInWithRedirect());
  await page.locator('a[href*="/signup"]').first().click();
  await completeSignUp(page, cloud, 'ada@example.com');
  await page.waitForURL(`${origin}/auth/callback**`);
  // Amplify redeems the code after the page has loaded.
  await expect.poll(async () => (await sessionOf(page)).email).toBe('ada@example.com');

  const first = await sessionOf(page);
  expect(first.accessKeyId).not.toBe(guest.accessKeyId);
  // The identity of the guest becomes the user's.
  expect(first.identityId).toBe(guest.identityId);
  const refreshed = await sessionOf(page, true);
  expect(refreshed).toMatchObject({ email: first.email, identityId: first.identityId });
  expect(refreshed.accessToken).not.toBe(first.accessToken);

  expect(await send(page, 'mutation { createMessage(content: "Hello") { content mine } }')).toMatchObject({
    data: { createMessage: { content: 'Hello', mine: true } },
  });
  expect(await send(page, '{ listMessages { items { content mine } } }')).toMatchObject({
    data: { listMessages: { items: [{ content: 'Hello', mine: true }] } },
  });

  const app = await appOf(page);
  await app.evaluate(({ subscribe }) => {
    subscribe('subscription { messageCreated { content author } }');
    subscribe('subscription { messageDeleted { id } }');
  });
  await expect.poll(() => cloud.faults.calls['real-time']?.start).toBe(2);
  const create = 'mutation { createMessage(content: "Live") { id content author } }';
  const { id } = ((await send(page, create)) as { data: { createMessage: { id: string } } }).data
    .createMessage;
  await send(page, `mutation { deleteMessage(id: "${id}") { id } }`);
  await expect
    .poll(() => app.evaluate(({ events }) => events))
    .toEqual([
      { messageCreated: { content: 'Live', author: expect.any(String) } },
      { messageDeleted: { id } },
    ]);
  expect(cloud.faults.calls['real-time']?.connect).toBe(1);

  await (await appOf(page)).evaluate((app) => void app.signOut());
  await page.waitForURL(`${origin}/`);
  const { calls } = cloud.faults;
  expect(calls['cognito-idp']).toMatchObject({ GetTokensFromRefreshToken: 1, RevokeToken: 1 });
  expect(calls.graphql).toBeDefined();
  expect((await sessionOf(page)).email).toBeUndefined();
  await context.close();
});
