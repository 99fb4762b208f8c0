/** The stock Remix app of this folder under `remix-serve`, with the packed libraries, and the local cloud. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { sealSession } from '../../packages/cognito-session/src/testing.ts';
import { findOrInstallBrowser } from '../../tools/setup/browser.mjs';
import { sendRaw } from '../support/http/raw-request.ts';
import { formSubmission } from '../support/http/site-requests.ts';
import { startLocalCloud } from '../support/local-cloud.ts';
import { startServer, stopChild } from '../support/processes/child-process.ts';
import { freePort } from '../support/processes/site.ts';
import { registerSecret } from '../support/secrets/secret-detection.ts';
import { createHostedLoginVisitor, PASSWORD } from '../support/sign-in/hosted-login.ts';
import { completeSignUp } from '../support/sign-in/hosted-login-pages.ts';
import { createSiteVisitor, type SiteVisitor } from '../support/sign-in/site-visitor.ts';
import { testSignIn } from '../support/suites/sign-in-suite.ts';

const SESSION_SECRET = 'q3Lr8vWz1XcB6nM0aSdF9gHjK2pT5yUe';
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };
const FETCH = { 'sec-fetch-dest': 'empty' };
const LIBRARIES = ['cognito-session', 'appsync-proxy'];

const folder = mkdtempSync(join(tmpdir(), 'plain-app-'));
const agent = new Agent({ keepAlive: true });
let cloud: LocalCloud;
let origin = '';
let stop = async () => {};

beforeAll(async () => {
  installApp();
  const env = { ...process.env, NODE_ENV: 'production' as const };
  execFileSync(process.execPath, [bin('@remix-run/dev/dist/cli.js'), 'vite:build'], {
    cwd: folder,
    env,
    stdio: 'pipe',
  });
  const port = await freePort();
  origin = `http://localhost:${port}`;
  cloud = await startLocalCloud({ siteOrigins: [origin], onSecret: registerSecret });
  const server = await startApp(port, ['--max-http-header-size=49152']);
  stop = () => stopChild(server, 'SIGKILL');
});

/** Starts `remix-serve`, with these options of Node. */
function startApp(port: number, options: readonly string[] = []) {
  const script = [bin('@remix-run/serve/dist/cli.js'), join(folder, 'build/server/index.js')];
  return startServer(process.execPath, [...options, ...script], {
    port,
    cwd: folder,
    environment: {
      ...cloud.environment({ appOrigin: origin }),
      ...{ NODE_ENV: 'production', PORT: String(port), HOST: '127.0.0.1' },
      ...{ APP_ORIGIN: origin, SESSION_SECRET },
    },
  });
}

afterEach(() => cloud.faults.set({}));

afterAll(async () => {
  await stop();
  await cloud?.close();
  agent.destroy();
  rmSync(folder, { recursive: true });
});

const bin = (path: string) => join(folder, 'node_modules', path);

/** Copies the app, links the packages of this repository, and unpacks the archives of the libraries over them. */
function installApp(): void {
  for (const name of ['package.json', 'vite.config.ts', 'app']) {
    cpSync(join('tests/plain-app', name), join(folder, name), { recursive: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync('node_modules')) {
    if (name !== '@tenfold') symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  // Another test may pack the libraries at the same time: this one builds copies.
  const sources = (from: string) => !/\/(?:dist|node_modules|tests)$/.test(from);
  for (const name of ['upstream', ...LIBRARIES]) {
    cpSync(join('packages', name), join(folder, 'packages', name), { recursive: true, filter: sources });
  }
  for (const name of LIBRARIES) {
    const packed = execFileSync('npm', ['pack', '--ignore-scripts=false', '--pack-destination', folder], {
      cwd: join(folder, 'packages', name),
      stdio: 'pipe',
    });
    const archive = /tenfold-[\w-]+-[\d.]+\.tgz/.exec(packed.toString())?.[0] ?? '';
    const library = join(modules, '@tenfold', name);
    mkdirSync(library, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, archive), '-C', library, '--strip-components=1']);
  }
}

async function signUp(email: string): Promise<SiteVisitor> {
  const visitor = createSiteVisitor(origin, agent);
  await visitor.signUp(cloud, { email, password: PASSWORD });
  return visitor;
}

/** What the page of the messages sends. */
const CREATE_MESSAGE = 'mutation CreateMessage($content:String!){createMessage(content:$content){id}}';

/** A request for the proxy, by default as client-side code of the app sends it. */
const operation = (headers: Record<string, string>, query = CREATE_MESSAGE) => ({
  method: 'POST',
  headers: { ...FETCH, 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ query, variables: { content: 'Hello from the proxy' } }),
});

/** The names of the cookies that a response sets. */
const setBy = (headers: { 'set-cookie'?: string[] | undefined }) =>
  (headers['set-cookie'] ?? []).map((line) => line.split('=', 1)[0]);

describe('an app with the library under remix-serve', () => {
  it('shows who has signed up, and forgets it after the sign-out', async () => {
    const visitor = await signUp('ada@example.com');
    expect((await visitor.request('/')).body).toContain('Signed in as ada@example.com');
    const signedIn = visitor.copy();
    const signedOut = await visitor.request('/auth/sign-out', { method: 'POST', headers: SAME_ORIGIN });
    expect([signedOut.status, signedOut.headers.location]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^${cloud.origin}/logout\\?`)),
    ]);
    expect((await visitor.request('/')).body).not.toContain('Signed in as');
    expect((await signedIn.request('/')).body).not.toContain('Signed in as');
  });

  it('leads from a guarded page to the sign-in and back', async () => {
    await signUp('grace@example.com');
    const visitor = createSiteVisitor(origin, agent);
    const guarded = await visitor.request('/notes?page=2');
    expect([guarded.status, guarded.headers.location]).toEqual([
      302,
      '/auth/sign-in?returnTo=%2Fnotes%3Fpage%3D2',
    ]);
    const { location = '' } = (await visitor.request(guarded.headers.location ?? '')).headers;
    const account = { email: 'grace@example.com', password: PASSWORD };
    const callback = await createHostedLoginVisitor(cloud).signIn(location, account);
    const { status, headers } = await visitor.request(callback.pathname + callback.search);
    expect([status, headers.location]).toEqual([302, '/notes?page=2']);
    expect((await visitor.request('/notes?page=2')).body).toContain('<h1>Notes</h1>');
  });

  it('responds with 401 to client-side code of a visitor without a session', async () => {
    const visitor = createSiteVisitor(origin, agent);
    for (const path of ['/notes.data', '/messages.data']) {
      expect((await visitor.request(path, { headers: FETCH })).status).toBe(401);
    }
  });

  it.each([
    ['a document', '/', {}, 200],
    ['a guarded document', '/notes', {}, 200],
    ['a data request', '/notes.data', { headers: FETCH }, 200],
    ['a resource route', '/api/graphql', operation({}), 200],
    ['a redirect of an action', '/notes', formSubmission({ text: 'tea' }), 302],
    [
      'a redirect of an action for client-side code',
      '/notes.data',
      formSubmission({ text: 'tea' }, FETCH),
      202,
    ],
  ])(
    'puts the refreshed session on %s, once and stored by no cache',
    async (name, path, options, expected) => {
      cloud.faults.set({ tokenSeconds: 4 });
      const visitor = await signUp(`${name.replaceAll(' ', '-')}@example.com`);
      cloud.faults.set({});
      const { status, headers } = await visitor.request(path, options);
      expect(status).toBe(expected);
      expect(setBy(headers)).toEqual(['session', 'session.1']);
      expect(headers['cache-control']).toBe('private, no-store');
      const next = await visitor.request('/');
      expect(next.body).toContain('Signed in as');
      expect([next.status, setBy(next.headers)]).toEqual([200, []]);
    },
  );

  it('changes the name after a fresh sign-in, once', async () => {
    const account = { email: 'emmy@example.com', password: PASSWORD };
    const visitor = await signUp(account.email);
    const begun = await visitor.request('/account', formSubmission({ name: 'Emmy N.' }));
    expect([begun.status, new URL(begun.headers.location ?? '').searchParams.get('prompt')]).toEqual([
      303,
      'login',
    ]);
    const callback = await createHostedLoginVisitor(cloud).signIn(begun.headers.location ?? '', account);
    const granted = await visitor.request(callback.pathname + callback.search);
    expect([granted.status, granted.headers.location]).toEqual([302, '/account']);
    const renamed = await visitor.request('/account');
    expect([renamed.status, renamed.headers.location]).toEqual([302, '/account']);
    const { status, body } = await visitor.request('/account');
    expect([status, body]).toEqual([200, expect.stringContaining('value="Emmy N."')]);
    expect(visitor.cookies.header()).not.toContain('grant');
  });

  it('rejects a form of another site', async () => {
    const visitor = await signUp('joan@example.com');
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const path of ['/notes', '/account', '/auth/sign-out']) {
      expect((await visitor.request(path, formSubmission({ text: 'x' }, headers))).status).toBe(403);
    }
    const foreign = formSubmission({}, { ...headers, origin: 'https://evil.example' });
    expect((await visitor.request('/auth/sign-out', foreign)).status).toBe(403);
    expect((await visitor.request('/')).body).toContain('Signed in as joan@example.com');
  });

  it('calls the API for a page and for client-side code, signed with credentials of the visitor', async () => {
    const visitor = await signUp('edith@example.com');
    cloud.faults.forgetCalls();
    const created = await visitor.request('/api/graphql', operation({}));
    expect(JSON.parse(created.body)).toEqual({ data: { createMessage: { id: expect.any(String) } } });
    expect((await visitor.request('/messages')).body).toContain('<li>Hello from the proxy</li>');
    const { 'cognito-identity': credentials, graphql } = cloud.faults.calls;
    expect(credentials).toEqual({ GetId: 1, GetCredentialsForIdentity: 1 });
    expect(graphql).toBeDefined();
  });

  it('sends only its own operations, of visitors who are signed in, from its own pages', async () => {
    const visitor = await signUp('frances@example.com');
    const statusOf = async (sender: SiteVisitor, options: ReturnType<typeof operation>) =>
      (await sender.request('/api/graphql', options)).status;
    expect(await statusOf(createSiteVisitor(origin, agent), operation({}))).toBe(401);
    expect(await statusOf(visitor, operation({ 'sec-fetch-site': 'cross-site' }))).toBe(403);
    expect(await statusOf(visitor, operation({}, 'mutation { eraseMyRecords }'))).toBe(403);
    expect((await visitor.request('/api/graphql')).status).toBe(405);
  });

  it('shows no list while the API does not work', async () => {
    const visitor = await signUp('hedy@example.com');
    cloud.faults.set({ faults: [{ service: 'graphql', kind: 'status', status: 503 }] });
    expect((await visitor.request('/messages')).status).toBe(503);
    expect((await visitor.request('/')).body).toContain('Signed in as');
  });

  it('keeps a session while the user pool does not work', async () => {
    cloud.faults.set({ tokenSeconds: 4 });
    const visitor = await signUp('mary@example.com');
    await cloud.disconnect();
    const during = await visitor.request('/');
    await cloud.reconnect();
    expect(during.body).toContain('Signed in as mary@example.com');
  });

  /** The `Cookie` header of a session that is as long as sessions can be, sealed by the test. */
  const sealLongSession = () =>
    sealSession(
      {
        appOrigin: origin,
        secrets: [SESSION_SECRET],
        userPool: { id: 'us-east-1_any', clientId: 'any', domain: cloud.origin },
      },
      {
        user: { sub: 'ada', email: 'ada@x.example' },
        tokens: { accessToken: randomBytes(12_000).toString('base64url') },
      },
    );

  it('accepts a sealed session of a test, as long as sessions can be', async () => {
    const cookie = await sealLongSession();
    expect(cookie.length).toBeGreaterThan(16_384);
    const { body } = await createSiteVisitor(origin, agent).request('/', { headers: { cookie } });
    expect(body).toContain('Signed in as ada@x.example');
  });

  it('gets 431 for such a session, and no other one, where Node has its own limit for headers', async () => {
    const port = await freePort();
    const server = await startApp(port);
    const statusOf = async (cookie: string) =>
      (await sendRaw(`http://localhost:${port}`, { path: '/', headers: { cookie } })).status;
    try {
      expect(await statusOf(await sealLongSession())).toBe(431);
      const { cookies } = await signUp('ida@example.com');
      expect(await statusOf(cookies.header())).toBe(200);
    } finally {
      await stopChild(server, 'SIGKILL');
    }
  });

  it('works in a browser, with client-side navigation and forms', async () => {
    const browser = await chromium.launch({ executablePath: findOrInstallBrowser() ?? '' });
    try {
      const page = await browser.newPage();
      // Client-side code has to run before the link is followed.
      await page.goto(`${origin}/`, { waitUntil: 'networkidle' });
      await page.getByRole('link', { name: 'Notes' }).click();
      await page.getByRole('link', { name: 'Sign in to see this page' }).click();
      await page.waitForURL(`${cloud.origin}/**`);
      await page.locator('a[href*="/signup"]').first().click();
      await completeSignUp(page, cloud, 'lise@example.com');
      await page.getByRole('heading', { name: 'Notes' }).waitFor();
      await page.getByLabel('Text').fill('tea at four');
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('listitem').filter({ hasText: 'tea at four' }).waitFor();
      await page.getByRole('link', { name: 'Messages' }).click();
      await page.getByRole('button', { name: 'Say hello' }).click();
      await page
        .getByRole('listitem')
        .filter({ hasText: /^Hello$/ })
        .waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
      expect(await page.context().cookies(origin)).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});

testSignIn(
  {
    get origin() {
      return origin;
    },
    get cloud() {
      return cloud;
    },
    agent,
    reasonOf: ({ body }) => /^You are not signed in: ([\w-]+)\.$/m.exec(body)?.[1] ?? null,
  },
  '/notes',
);
