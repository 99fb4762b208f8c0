import { describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloudForTests } from '../support/local-cloud-per-file.ts';
import { callUserPoolApi } from '../support/signed-up-client.ts';

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
    const input = { ClientId: 'unknown', AuthFlow: 'x', RefreshToken: 'x' };
    const call = async (operation: string) =>
      (await callUserPoolApi(local.cloud, operation, input)).body.__type;
    expect(await call('InitiateAuth')).toBe(error);
    expect(await call('GetTokensFromRefreshToken')).toBe('ResourceNotFoundException');
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
    const userPool = await fetch(`${local.cloud.origin}/cognito-idp/`, { method: 'POST' });
    expect(await userPool.json()).toEqual({ __type: error, message });
  });

  test.each(['html', 'invalid-json'])('returns a body that is not JSON for the kind %s', async (kind) => {
    await setFaults({ faults: [{ service: 'jwks', kind }] });
    await expect((await fetchJwks()).json()).rejects.toThrow(SyntaxError);
  });

  test('closes the connection before the response, or in the middle of it when a status is set', async () => {
    await setFaults({ faults: [{ service: 'jwks', kind: 'reset' }] });
    await expect(fetchJwks()).rejects.toThrow('fetch failed');
    await setFaults({ faults: [{ service: 'jwks', kind: 'reset', status: 200 }] });
    const partial = await fetchJwks();
    expect(partial.status).toBe(200);
    await expect(partial.text()).rejects.toThrow('terminated');
  });

  test('never responds for the kind hang', async () => {
    await setFaults({ faults: [{ service: 'jwks', kind: 'hang' }] });
    await expect(fetchJwks({ signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
  });

  test('delays the normal response for the kind slow', async () => {
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
