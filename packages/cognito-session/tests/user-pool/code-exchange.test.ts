import { OAuth2RequestError } from 'remix-auth-oauth2';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../../../app/server/config/env.ts';
import { CLIENT_ID, CLIENT_SECRET } from '../../../../tests/support/upstreams/scripted-user-pool.ts';
import { shareUserPool } from '../../../../tests/support/upstreams/shared-user-pool.ts';
import { UpstreamError } from '../../../upstream/src/upstream-error.ts';
import { exchangeCode } from '../../src/user-pool/code-exchange.ts';

const APP_ORIGIN = 'https://site.example';
const TOKENS = { access_token: 'a', id_token: 'i', refresh_token: 'r', token_type: 'Bearer' };

const [pool, otherServer] = [await shareUserPool(), await shareUserPool()];

/** Exchanges a code and returns the members of the response that the site uses. */
async function exchange(changes: Partial<Env['userPool']> = {}, signal = new AbortController().signal) {
  const { domain, clientId, clientSecret } = pool.userPool(changes);
  const client = {
    clientId,
    clientSecret,
    redirectURI: `${APP_ORIGIN}/auth/callback`,
    tokenEndpoint: `${domain}/oauth2/token`,
  };
  const code = { code: 'the-code', codeVerifier: 'the-verifier' };
  return (await exchangeCode(client, code, signal)).data;
}

const failedExchange = () => exchange().catch((error: unknown) => error);

/** The only request that the token endpoint received. */
const sentRequest = () => {
  expect(pool.received.token).toHaveLength(1);
  const { headers, body } = pool.received.token[0] ?? { headers: {}, body: '' };
  return { authorization: headers.authorization, form: Object.fromEntries(new URLSearchParams(body)) };
};

const form = {
  grant_type: 'authorization_code',
  code: 'the-code',
  redirect_uri: `${APP_ORIGIN}/auth/callback`,
  code_verifier: 'the-verifier',
};

describe('a code exchange', () => {
  it('sends code, verifier and client secret, and returns the tokens', async () => {
    pool.script({ token: () => ({ body: TOKENS }) });
    expect(await exchange()).toEqual({ access_token: 'a', id_token: 'i', refresh_token: 'r' });
    const credentials = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
    expect(sentRequest()).toEqual({ authorization: `Basic ${credentials}`, form });
  });

  it('of a public client sends its id and no secret', async () => {
    pool.script({ token: () => ({ body: TOKENS }) });
    await exchange({ clientSecret: null });
    expect(sentRequest()).toEqual({ authorization: undefined, form: { ...form, client_id: CLIENT_ID } });
  });

  it('is canceled with its signal', async () => {
    pool.script({ token: () => 'hang' });
    const error = await exchange({}, AbortSignal.timeout(50)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'UpstreamError', service: 'hosted-login', code: 'TimeoutError' });
  });

  it.each([
    [400, 'invalid_grant'],
    [401, 'invalid_client'],
  ])('that is rejected with the status %i reports the code %s', async (status, code) => {
    pool.script({ token: () => ({ status, body: { error: code, error_description: 'Said the pool' } }) });
    const error = await failedExchange();
    expect(error).toBeInstanceOf(OAuth2RequestError);
    expect(error).toMatchObject({ code, description: 'Said the pool' });
  });

  it.each([
    ['an error of the server', 503, { error: 'invalid_grant' }],
    ['an error without a code', 400, { error: 7 }],
    ['no JSON', 200, '<html>'],
    ['an error with status 200', 200, { error: 'invalid_grant' }],
    ['tokens with the status of an error', 400, TOKENS],
    ['no ID token', 200, { access_token: 'a', refresh_token: 'r' }],
    ['no access token', 200, { id_token: 'i', refresh_token: 'r' }],
  ])('that gets %s has an invalid response', async (_what, status, body) => {
    pool.script({ token: () => ({ status, body }) });
    expect(await failedExchange()).toMatchObject({
      name: 'UpstreamError',
      service: 'hosted-login',
      code: 'InvalidResponse',
      message: 'The response to a code contains no tokens.',
      details: { status },
    });
  });
});

describe('a token endpoint that redirects', () => {
  // threat-model: T-078
  it.each([301, 302, 303, 307, 308])(
    'fails the exchange, and the target receives nothing: %i',
    async (status) => {
      for (const target of [pool, otherServer]) {
        const location = `${target.userPool().domain}/oauth2/revoke`;
        target.script({ revoke: () => ({ body: TOKENS }) });
        pool.script({ token: () => ({ status, headers: { location } }) });
        expect(await failedExchange()).toBeInstanceOf(UpstreamError);
        expect(target.received.revoke).toEqual([]);
      }
    },
  );
});
