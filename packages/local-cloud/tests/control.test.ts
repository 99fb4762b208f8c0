import { get, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startLocalCloud } from '../../../tests/support/local-cloud.ts';
import { freePort } from '../../../tests/support/processes/site.ts';
import { createHostedLoginVisitor } from '../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from './support/local-cloud-per-file.ts';
import { ann, callAws } from './support/signed-up-client.ts';

const local = startLocalCloudForTests();

const postFaults = (body: string) => fetch(`${local.cloud.origin}/_faults`, { method: 'POST', body });
const setFaults = (settings: unknown) => postFaults(JSON.stringify(settings));
const refresh = () => createOAuthClient(local.cloud).refresh('nonsense');
const fetchJwks = (init?: RequestInit) =>
  fetch(`${local.cloud.environment().COGNITO_ISSUER}/.well-known/jwks.json`, init);

describe('fault injection', () => {
  test('affects as many calls as `times` says', async () => {
    await setFaults({ faults: [{ service: 'token', kind: 'status', status: 503, times: 2 }] });
    const send = () => fetch(`${local.cloud.origin}/oauth2/token`, { method: 'POST' });
    const responses = [await send(), await send(), await send()];
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 400]);
    expect(responses[0]?.headers.get('retry-after')).toBe('1');
  });

  test('affects only the named operation', async () => {
    const error = 'TooManyRequestsException';
    await setFaults({
      faults: [{ service: 'cognito-idp', operation: 'InitiateAuth', kind: 'error', error }],
    });
    const typeOf = async (operation: string) =>
      (
        await callAws(local.cloud, 'cognito-idp', operation, {
          ClientId: '?',
          AuthFlow: '',
          RefreshToken: '',
        })
      ).body.__type;
    expect(await typeOf('InitiateAuth')).toBe(error);
    expect(await typeOf('GetTokensFromRefreshToken')).toBe('ResourceNotFoundException');
  });

  test('returns errors in the format of each service, with the message of the fault', async () => {
    const message = 'Unable to verify secret hash for client abc';
    const error = 'NotAuthorizedException';
    await setFaults({
      faults: [
        { service: 'token', kind: 'error', error: 'invalid_grant' },
        { service: 'cognito-idp', kind: 'error', error, message },
        { service: 'authorize', kind: 'error', error: 'server_error' },
        { service: 'graphql', kind: 'error', error: 'LimitExceededError' },
      ],
    });
    expect(await refresh()).toEqual({ status: 400, body: { error: 'invalid_grant' } });
    const { url } = await createHostedLoginVisitor(local.cloud).open(
      createOAuthClient(local.cloud).authorizeUrl(),
    );
    expect(url.href).toBe(`${SITE_ORIGIN}/auth/callback?state=the-state&error=server_error`);
    const graphql = await (await fetch(`${local.cloud.origin}/graphql`, { method: 'POST' })).json();
    expect(graphql.errors[0].errorType).toBe('LimitExceededError');
    expect((await callAws(local.cloud, 'cognito-idp', 'GetUser', {})).body).toEqual({
      __type: error,
      message,
    });
  });

  test.each(['html', 'invalid-json'])('returns a body that is not JSON for the kind %s', async (kind) => {
    await setFaults({ faults: [{ service: 'jwks', kind }] });
    await expect((await fetchJwks()).json()).rejects.toThrow(SyntaxError);
  });

  test('closes the connection before the response, or in the middle of it when a status is set', async () => {
    await setFaults({ faults: [{ service: 'jwks', kind: 'reset' }] });
    await expect(fetchJwks()).rejects.toThrow('fetch failed');
    await setFaults({ faults: [{ service: 'jwks', kind: 'reset', status: 200 }] });
    await expect((await fetchJwks()).text()).rejects.toThrow('terminated');
  });

  test('never responds for the kind hang, and late for the kind slow', async () => {
    await setFaults({ faults: [{ service: 'jwks', kind: 'hang' }] });
    await expect(fetchJwks({ signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
    await setFaults({ faults: [{ service: 'jwks', kind: 'slow', delayMs: 60 }] });
    const start = performance.now();
    expect((await (await fetchJwks()).json()).keys).toHaveLength(2);
    expect(performance.now() - start).toBeGreaterThan(50);
  });

  test('changes the clock of the local cloud, which the Date header shows', async () => {
    await setFaults({ clockSkewSeconds: 600 });
    const ahead = Date.parse((await fetchJwks()).headers.get('date') ?? '') - Date.now();
    expect(Math.round(ahead / 60_000)).toBe(10);
  });

  test('counts calls by service and operation', async () => {
    local.cloud.faults.forgetCalls();
    await Promise.all([refresh(), refresh(), fetchJwks()]);
    const { calls } = await (await fetch(`${local.cloud.origin}/_faults`)).json();
    expect(calls).toEqual({ token: { refresh_token: 2 }, jwks: { jwks: 1 } });
  });

  test.each([
    ['{', 'not JSON'],
    ['{"fault":[]}', 'fault'],
    ['{"faults":[{"service":"token","kind":"error"}]}', 'is required for a fault of kind "error"'],
    ['{"rotationGraceSeconds":61}', 'rotationGraceSeconds'],
  ])('rejects invalid settings such as %s and changes nothing', async (body, message) => {
    await setFaults({ tokenSeconds: 7 });
    const response = await postFaults(body);
    expect(response.status).toBe(400);
    expect((await response.json()).error).toContain(message);
    expect(local.cloud.faults.settings.tokenSeconds).toBe(7);
  });
});

describe('control endpoints', () => {
  test('are served at the address of a proxy that the local cloud was given, and accept its forms', async () => {
    const port = await freePort();
    const cloud = await startLocalCloud({ port, origin: 'https://cloud.example.test' });
    onTestFinished(() => cloud.close());
    expect(cloud.environment()).toMatchObject({ COGNITO_DOMAIN: 'https://cloud.example.test' });
    const statusOf = (host: string, origin: string) =>
      new Promise((resolve, reject) => {
        const options = { port, path: '/_reset', method: 'POST', headers: { host, origin } };
        request(options, ({ statusCode }) => resolve(statusCode))
          .on('error', reject)
          .end();
      });
    expect(await statusOf('cloud.example.test', 'https://cloud.example.test')).toBe(200);
    expect(await statusOf('cloud.example.test', 'https://evil.example')).toBe(403);
    expect(await statusOf('evil.example', 'https://cloud.example.test')).toBe(421);
  });

  test.each(['/_reset', '/_faults'])('reject a cross-origin POST to %s', async (path) => {
    const post = async (headers: Record<string, string>) =>
      (await fetch(`${local.cloud.origin}${path}`, { method: 'POST', headers, body: '{}' })).status;
    expect(await post({ origin: 'https://evil.example' })).toBe(403);
    expect(await post({ origin: 'null' })).toBe(403);
    expect(await post({ 'sec-fetch-site': 'same-site' })).toBe(403);
    expect(await post({ origin: local.cloud.origin })).toBe(200);
    expect(await post({})).toBe(200);
  });

  test('reject a host name that is not local', async () => {
    expect(await statusForHost('evil.example')).toBe(421);
    expect(await statusForHost('localhost')).toBe(200);
  });

  test('show the emails as a page with escaped contents', async () => {
    await createHostedLoginVisitor(local.cloud).signUp(createOAuthClient(local.cloud).authorizeUrl(), {
      ...ann,
      email: "o'hara@example.com",
    });
    const response = await fetch(`${local.cloud.origin}/_outbox`, { headers: { accept: 'text/html' } });
    const html = await response.text();
    expect(html).toContain('o&#x27;hara@example.com');
    expect(html).toContain(local.cloud.emails[0]?.code);
  });

  test('delete users, sessions and emails on a reset, and keep clients and keys', async () => {
    const visitor = createHostedLoginVisitor(local.cloud);
    const client = createOAuthClient(local.cloud);
    const { body } = await client.redeem(await visitor.signUp(client.authorizeUrl(), ann));
    const keys = await (await fetchJwks()).text();
    await fetch(`${local.cloud.origin}/_reset`, { method: 'POST' });
    expect(local.cloud.emails).toEqual([]);
    expect((await client.refresh(body.refresh_token ?? '')).body).toEqual({ error: 'invalid_grant' });
    expect((await visitor.open(client.authorizeUrl())).url.pathname).toBe('/login');
    await expect(visitor.signIn(client.authorizeUrl(), ann)).rejects.toThrow('Incorrect email or password.');
    expect(await (await fetchJwks()).text()).toBe(keys);
  });
});

/** Returns the status for a `Host` header. `fetch` does not allow setting this header. */
function statusForHost(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const url = `${local.cloud.origin}/_outbox`;
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}
