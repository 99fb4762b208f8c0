/** Exchanges authorization codes for tokens at the token endpoint of the hosted login. */

import { OAuth2RequestError, type OAuth2Strategy } from 'remix-auth-oauth2';
import { z } from 'zod';
import { ConcurrencyLimit, parseJson, UpstreamError, type UpstreamMetrics, withDeadline } from '#upstream';
import { clientFormHeaders, post } from './user-pool-request.ts';

type Client = Pick<
  OAuth2Strategy.ConstructorOptions,
  'clientId' | 'clientSecret' | 'redirectURI' | 'tokenEndpoint'
>;

/** An authorization code, and the code verifier of its attempt. */
type Code = { code: string; codeVerifier: string };

/** The tokens as the library passes them from the exchange to the verification. */
export type IssuedTokens = OAuth2Strategy.VerifyOptions['tokens'];

/** For the whole exchange, including the wait for a place. */
const EXCHANGE_TIMEOUT_MS = 4500;
const EXCHANGES = { maxConcurrent: 50, maxQueued: 2000 };
/** For all visitors behind one address, who may be a whole company. */
const EXCHANGES_PER_CALLER = { maxConcurrent: 25, maxQueued: 100 };

/** Some app clients get no refresh token. */
const tokenResponse = z.object({
  access_token: z.string(),
  id_token: z.string(),
  refresh_token: z.string().nullish(),
  expires_in: z.number().optional(),
});
const errorResponse = z.object({ error: z.string(), error_description: z.string().nullish() });

/** The exchanges of a process. Callers take turns. */
export class CodeExchanges {
  readonly #limit: ConcurrencyLimit;

  constructor(metrics: Pick<UpstreamMetrics, 'shed'>) {
    const perCaller = EXCHANGES_PER_CALLER;
    this.#limit = new ConcurrencyLimit({ ...EXCHANGES, service: 'hosted-login', perCaller, metrics });
  }

  /**
   * Exchanges a code within 4.5 seconds. `caller` is the address block of the visitor. Rejects as `exchangeCode` does, and
   * with the `UpstreamError` `Overloaded` if no place becomes free.
   */
  exchange(client: Client, code: Code, caller: string): Promise<IssuedTokens> {
    return withDeadline(EXCHANGE_TIMEOUT_MS, undefined, (signal) =>
      this.#limit.run(signal, () => exchangeCode(client, code, signal), caller),
    );
  }
}

/**
 * Exchanges a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). The result has an access token, an ID token and
 * possibly a refresh token, of which nothing is verified yet. Follows no redirect, because the request carries the code
 * and the client secret. Rejects with `OAuth2RequestError` if the code is rejected, else with an `UpstreamError`.
 */
export async function exchangeCode(
  { clientId, clientSecret, redirectURI, tokenEndpoint }: Client,
  { code, codeVerifier }: Code,
  signal: AbortSignal,
): Promise<IssuedTokens> {
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
  return toIssuedTokens(tokens);
}

function toIssuedTokens(data: z.infer<typeof tokenResponse>): IssuedTokens {
  const { access_token, id_token, refresh_token, expires_in = 0 } = data;
  return {
    data,
    tokenType: () => 'Bearer',
    accessToken: () => access_token,
    accessTokenExpiresInSeconds: () => expires_in,
    accessTokenExpiresAt: () => new Date(Date.now() + expires_in * 1000),
    hasRefreshToken: () => Boolean(refresh_token),
    refreshToken: () => refresh_token ?? '',
    // Cognito names the scopes in the access token only.
    hasScopes: () => false,
    scopes: () => [],
    idToken: () => id_token,
  };
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
