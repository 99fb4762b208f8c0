import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { createHostedLoginVisitor } from '../../support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../support/sign-in/oauth-client.ts';

const ann = { email: 'ann@example.com', password: 'correct horse' };

let cloud: LocalCloud;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN] });
});
afterAll(() => cloud.close());
afterEach(() => cloud.reset());

async function setFaults(settings: unknown) {
  const response = await fetch(`${cloud.origin}/_faults`, { method: 'POST', body: JSON.stringify(settings) });
  return { status: response.status, body: await response.json() };
}

const refresh = () => createOAuthClient(cloud).refresh('nonsense');
const jwks = (init?: RequestInit) =>
  fetch(`${cloud.environment().COGNITO_ISSUER}/.well-known/jwks.json`, init);

test('refuses every connection while it is unplugged, and has forgotten nothing when it is back', async () => {
  const before = await (await jwks()).json();
  await cloud.disconnect();
  await expect(jwks()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  await cloud.reconnect();
  expect(await (await jwks()).json()).toEqual(before);
});

describe('faults', () => {
  afterEach(() => setFaults({}));

  test('strike as often as they say and then no more', async () => {
    await setFaults({ faults: [{ service: 'token', kind: 'status', status: 503, times: 2 }] });
    const send = () => fetch(`${cloud.origin}/oauth2/token`, { method: 'POST' });
    const answers = [await send(), await send(), await send()];
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 400]);
    expect(answers[0]?.headers.get('retry-after')).toBe('1');
  });

  test('strike one operation and spare the others', async () => {
    await setFaults({
      faults: [
        {
          service: 'cognito-idp',
          operation: 'InitiateAuth',
          kind: 'error',
          error: 'TooManyRequestsException',
        },
      ],
    });
    const call = async (operation: string) => {
      const response = await fetch(`${cloud.origin}/cognito-idp/`, {
        method: 'POST',
        headers: { 'x-amz-target': `AWSCognitoIdentityProviderService.${operation}` },
        body: JSON.stringify({ ClientId: 'nobody', AuthFlow: 'x', RefreshToken: 'x' }),
      });
      return (await response.json()).__type;
    };
    expect(await call('InitiateAuth')).toBe('TooManyRequestsException');
    expect(await call('GetTokensFromRefreshToken')).toBe('ResourceNotFoundException');
  });

  test('speak each service’s own language', async () => {
    await setFaults({
      faults: [
        { service: 'token', kind: 'error', error: 'invalid_grant' },
        { service: 'authorize', kind: 'error', error: 'server_error' },
        { service: 'graphql', kind: 'error', error: 'LimitExceededError' },
      ],
    });
    expect(await refresh()).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    const { url } = await createHostedLoginVisitor(cloud).open(createOAuthClient(cloud).authorizeUrl());
    expect(url.href).toBe(`${SITE_ORIGIN}/auth/callback?state=the-state&error=server_error`);
    const graphql = await (await fetch(`${cloud.origin}/graphql`, { method: 'POST' })).json();
    expect(graphql.errors[0].errorType).toBe('LimitExceededError');
  });

  test.each(['html', 'invalid-json'])('of kind %s are no JSON', async (kind) => {
    await setFaults({ faults: [{ service: 'jwks', kind }] });
    await expect((await jwks()).json()).rejects.toThrow(SyntaxError);
  });

  test('tear connections down, before the answer or in its middle', async () => {
    await setFaults({ faults: [{ service: 'jwks', kind: 'reset' }] });
    await expect(jwks()).rejects.toThrow('fetch failed');
    await setFaults({ faults: [{ service: 'jwks', kind: 'reset', status: 200 }] });
    const half = await jwks();
    expect(half.status).toBe(200);
    await expect(half.text()).rejects.toThrow('terminated');
  });

  test('hang until the caller gives up', async () => {
    await setFaults({ faults: [{ service: 'jwks', kind: 'hang' }] });
    await expect(jwks({ signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
  });

  test('slow an answer down and leave it as it is', async () => {
    await setFaults({ faults: [{ service: 'jwks', kind: 'slow', delayMs: 60 }] });
    const begun = performance.now();
    expect((await (await jwks()).json()).keys).toHaveLength(2);
    expect(performance.now() - begun).toBeGreaterThan(50);
  });

  test('set the cloud’s clock apart, and its Date header tells', async () => {
    await setFaults({ clockSkewSeconds: 600 });
    const ahead = Date.parse((await jwks()).headers.get('date') ?? '') - Date.now();
    expect(Math.round(ahead / 60_000)).toBe(10);
  });

  test('count calls by service and operation', async () => {
    cloud.faults.forgetCalls();
    await Promise.all([refresh(), refresh(), jwks()]);
    const { calls } = await (await fetch(`${cloud.origin}/_faults`)).json();
    expect(calls).toEqual({ token: { refresh_token: 2 }, jwks: { jwks: 1 } });
  });

  test.each([
    ['{', 'not JSON'],
    ['{"fault":[]}', 'fault'],
    ['{"faults":[{"service":"token","kind":"error"}]}', 'is required for a fault of kind "error"'],
    ['{"faults":[{"service":"tokens","kind":"hang"}]}', 'service'],
    ['{"rotationGraceSeconds":61}', 'rotationGraceSeconds'],
  ])('that make no sense, such as %s, are refused and change nothing', async (body, what) => {
    await setFaults({ tokenSeconds: 7 });
    const response = await fetch(`${cloud.origin}/_faults`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toContain(what);
    expect(cloud.faults.settings.tokenSeconds).toBe(7);
  });
});

describe('the control addresses', () => {
  test.each(['/_reset', '/_faults'])('refuse a POST to %s from another site', async (path) => {
    const post = (headers: Record<string, string>) =>
      fetch(`${cloud.origin}${path}`, { method: 'POST', headers, body: '{}' });
    expect((await post({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ origin: 'null' })).status).toBe(403);
    expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await post({ origin: cloud.origin })).status).toBe(200);
    expect((await post({})).status).toBe(200);
  });

  test.each(['/_outbox', '/_faults', '/_reset'])('refuse %s under a foreign name', async (path) => {
    expect(await statusUnderHost(path, 'evil.example')).toBe(421);
    expect(await statusUnderHost(path, 'localhost')).not.toBe(421);
  });

  test('show the mails as a page, with everything in them escaped', async () => {
    await createHostedLoginVisitor(cloud).signUp(createOAuthClient(cloud).authorizeUrl(), {
      ...ann,
      email: "o'hara@example.com",
    });
    const response = await fetch(`${cloud.origin}/_outbox`, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-type')).toContain('text/html');
    const html = await response.text();
    expect(html).toContain('o&#x27;hara@example.com');
    expect(html).toContain(cloud.emails[0]?.code);
  });

  test('forget users, sessions and mails on a reset, and keep clients and keys', async () => {
    const client = createOAuthClient(cloud);
    const visitor = createHostedLoginVisitor(cloud);
    const { body } = await client.redeem(await visitor.signUp(client.authorizeUrl(), ann));
    const keys = await (await jwks()).text();
    await fetch(`${cloud.origin}/_reset`, { method: 'POST' });
    expect(cloud.emails).toEqual([]);
    expect((await client.refresh(body.refresh_token ?? '')).body).toEqual({ error: 'invalid_grant' });
    expect((await visitor.open(client.authorizeUrl())).url.pathname).toBe('/login');
    await expect(visitor.signIn(client.authorizeUrl(), ann)).rejects.toThrow('Incorrect email or password.');
    expect(await (await jwks()).text()).toBe(keys);
  });
});

describe('state on disk', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  async function dataFolder(): Promise<string> {
    const folder = join(await mkdtemp(join(tmpdir(), 'local-cloud-')), 'data');
    folders.push(join(folder, '..'));
    return folder;
  }

  test('carries users, sign-ins, sessions and keys over a restart', async () => {
    const dataDir = await dataFolder();
    const first = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    const client = createOAuthClient(first);
    const callback = await createHostedLoginVisitor(first).signUp(client.authorizeUrl(), ann);
    const { body } = await client.redeem(callback);
    const environment = first.environment();
    await first.close();

    const second = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    try {
      const moved = JSON.stringify(environment).replaceAll(first.origin, second.origin);
      expect(second.environment()).toEqual(JSON.parse(moved));
      expect(second.emails).toHaveLength(1);
      const again = createOAuthClient(second);
      expect((await again.refresh(body.refresh_token ?? '')).status).toBe(200);
      await createHostedLoginVisitor(second).signIn(again.authorizeUrl(), ann);
    } finally {
      await second.close();
    }
  });

  test('is the owner’s alone to read and holds no password, code or token', async () => {
    const dataDir = await dataFolder();
    const kept = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    const client = createOAuthClient(kept);
    const visitor = createHostedLoginVisitor(kept);
    const { body } = await client.redeem(await visitor.signUp(client.authorizeUrl(), ann));
    await kept.close();
    const file = join(dataDir, 'state.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { outbox, ...rest } = JSON.parse(await readFile(file, 'utf8'));
    expect(outbox).toHaveLength(1);
    const state = JSON.stringify(rest);
    for (const secret of [ann.password, outbox[0].code, body.refresh_token])
      expect(state).not.toContain(secret);
  });

  test('that cannot be read stops the start with a word on what to do', async () => {
    const dataDir = await dataFolder();
    await (await startLocalCloud({ dataDir })).close();
    await writeFile(join(dataDir, 'state.json'), '{"users":');
    await expect(startLocalCloud({ dataDir })).rejects.toThrow(/Delete it to start with empty state/);
    await writeFile(join(dataDir, 'state.json'), '{"users":[]}');
    await expect(startLocalCloud({ dataDir })).rejects.toThrow(/"users"/);
  });
});

/** `fetch` sets `Host` by itself. */
function statusUnderHost(path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest(`${cloud.origin}${path}`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
