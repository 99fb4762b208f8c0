import {
  CognitoIdentityClient,
  GetCredentialsForIdentityCommand,
  GetIdCommand,
} from '@aws-sdk/client-cognito-identity';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../../tests/support/sign-in/oauth-client.ts';
import { type LocalCloud, startLocalCloud } from '../../start.ts';
import { signedFetch } from '../support/signed-fetch.ts';
import { signUpAtClient } from '../support/signed-up-client.ts';

let cloud: LocalCloud;

beforeAll(async () => {
  cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN] });
});
afterAll(() => cloud.close());

async function setFaults(settings: unknown) {
  const response = await fetch(`${cloud.origin}/_faults`, { method: 'POST', body: JSON.stringify(settings) });
  return { status: response.status, body: await response.json() };
}

const refresh = () => createOAuthClient(cloud).refresh('nonsense');
const fetchJwks = (init?: RequestInit) =>
  fetch(`${cloud.environment().COGNITO_ISSUER}/.well-known/jwks.json`, init);

/** Returns AWS credentials for an ID token. */
async function credentialsOf(idToken: string) {
  const environment = cloud.environment();
  const issuer = new URL(environment.COGNITO_ISSUER ?? '');
  const Logins = { [issuer.host + issuer.pathname]: idToken };
  const endpoint = environment.AWS_ENDPOINT_URL_COGNITO_IDENTITY;
  const client = new CognitoIdentityClient({ region: 'us-east-1', ...(endpoint ? { endpoint } : {}) });
  const IdentityPoolId = environment.COGNITO_IDENTITY_POOL_ID;
  const { IdentityId } = await client.send(new GetIdCommand({ IdentityPoolId, Logins }));
  const { Credentials } = await client.send(new GetCredentialsForIdentityCommand({ IdentityId, Logins }));
  const { AccessKeyId = '', SecretKey = '', SessionToken = '' } = Credentials ?? {};
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretKey, sessionToken: SessionToken };
}

describe('fault injection', () => {
  afterEach(() => setFaults({}));

  test('affects as many calls as `times` says', async () => {
    await setFaults({ faults: [{ service: 'token', kind: 'status', status: 503, times: 2 }] });
    const send = () => fetch(`${cloud.origin}/oauth2/token`, { method: 'POST' });
    const responses = [await send(), await send(), await send()];
    expect(responses.map(({ status }) => status)).toEqual([503, 503, 400]);
    expect(responses[0]?.headers.get('retry-after')).toBe('1');
  });

  test('affects only the named operation', async () => {
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
        body: JSON.stringify({ ClientId: 'unknown', AuthFlow: 'x', RefreshToken: 'x' }),
      });
      return (await response.json()).__type;
    };
    expect(await call('InitiateAuth')).toBe('TooManyRequestsException');
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
    const { url } = await createHostedLoginVisitor(cloud).open(createOAuthClient(cloud).authorizeUrl());
    expect(url.href).toBe(`${SITE_ORIGIN}/auth/callback?state=the-state&error=server_error`);
    const graphql = await (await fetch(`${cloud.origin}/graphql`, { method: 'POST' })).json();
    expect(graphql.errors[0].errorType).toBe('LimitExceededError');
    const userPool = await fetch(`${cloud.origin}/cognito-idp/`, { method: 'POST' });
    expect(await userPool.json()).toEqual({ __type: error, message });
  });

  test('denies fields to the role of signed-in users, but not to tokens of the user pool', async () => {
    await setFaults({ deniedFields: ['Query.listMessages'] });
    const { idToken, accessToken } = await signUpAtClient(cloud);
    const key = await credentialsOf(idToken);
    const url = `${cloud.origin}/graphql`;
    const send = (query: string) => signedFetch(url, JSON.stringify({ query }), { key, now: Date.now() });
    const denied = await send('query { ...A } fragment A on Query { listMessages { nextToken } }');
    expect(denied.status).toBe(401);
    expect(await denied.json()).toEqual({
      errors: [{ errorType: 'UnauthorizedException', message: 'Permission denied' }],
    });
    expect((await send('mutation { createMessage(content: "x") { id } }')).status).toBe(200);
    const headers = { authorization: accessToken };
    const query = '{ listMessages { nextToken } }';
    expect((await fetch(`${url}?${new URLSearchParams({ query })}`, { headers })).status).toBe(200);
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
    cloud.faults.forgetCalls();
    await Promise.all([refresh(), refresh(), fetchJwks()]);
    const { calls } = await (await fetch(`${cloud.origin}/_faults`)).json();
    expect(calls).toEqual({ token: { refresh_token: 2 }, jwks: { jwks: 1 } });
  });

  test.each([
    ['{', 'not JSON'],
    ['{"fault":[]}', 'fault'],
    ['{"faults":[{"service":"token","kind":"error"}]}', 'is required for a fault of kind "error"'],
    ['{"faults":[{"service":"tokens","kind":"hang"}]}', 'service'],
    ['{"rotationGraceSeconds":61}', 'rotationGraceSeconds'],
  ])('rejects invalid settings such as %s and changes nothing', async (body, message) => {
    await setFaults({ tokenSeconds: 7 });
    const response = await fetch(`${cloud.origin}/_faults`, { method: 'POST', body });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toContain(message);
    expect(cloud.faults.settings.tokenSeconds).toBe(7);
  });
});
