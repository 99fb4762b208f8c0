/** Exchanges authorization codes for tokens at the token endpoint of the hosted login. */
import { OAuth2Tokens } from 'arctic';
import { OAuth2RequestError, type OAuth2Strategy } from 'remix-auth-oauth2';
import { z } from 'zod';
import type { CallSignal } from '../resilience/call-signal.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import { parseJson } from '../resilience/upstream-response.ts';
import { clientFormHeaders, post } from './user-pool-request.ts';

type Client = Pick<
  OAuth2Strategy.ConstructorOptions,
  'clientId' | 'clientSecret' | 'redirectURI' | 'tokenEndpoint'
>;

/** Some app clients get no refresh token. */
const tokenResponse = z.object({
  access_token: z.string(),
  id_token: z.string(),
  refresh_token: z.string().nullish(),
});
const errorResponse = z.object({ error: z.string(), error_description: z.string().nullish() });

/**
 * Exchanges a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). The result has an access token, an ID token and
 * possibly a refresh token, of which nothing is verified yet. Follows no redirect, because the request carries the code
 * and the client secret. Rejects with `OAuth2RequestError` if the code is rejected, else with an `UpstreamError`.
 */
export async function exchangeCode(
  { clientId, clientSecret, redirectURI, tokenEndpoint }: Client,
  { code, codeVerifier }: { code: string; codeVerifier: string },
  signal: CallSignal,
): Promise<OAuth2Tokens> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: String(redirectURI),
    code_verifier: codeVerifier,
    ...(clientSecret === null ? { client_id: clientId } : {}),
  });
  const headers = clientFormHeaders(clientId, clientSecret);
  const response = await post('hosted-login', String(tokenEndpoint), form.toString(), signal, headers);
  const json = parseJson(response.text);
  const tokens = response.ok ? tokenResponse.safeParse(json).data : null;
  if (!tokens) throw exchangeError(response.status, json);
  return new OAuth2Tokens(tokens);
}

/** RFC 6749 section 5.2: an error in JSON has the status 400, or 401 if the client is rejected. */
function exchangeError(status: number, json: unknown): OAuth2RequestError | UpstreamError {
  const { data } = errorResponse.safeParse(json);
  if (data && (status === 400 || status === 401)) {
    return new OAuth2RequestError(data.error, data.error_description ?? null, null, null);
  }
  return new UpstreamError('hosted-login', 'InvalidResponse', 'The response to a code contains no tokens.', {
    status,
  });
}
