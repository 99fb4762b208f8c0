/** Verifies that the user pool issued tokens to this client, and reads the claims about the user. */

import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { type Clock, UpstreamError } from '#upstream';
import type { Settings } from '../settings.ts';
import { SignInError } from './sign-in-error.ts';
import type { User } from './tokens.ts';
import { get } from './user-pool-request.ts';

type IssuedTokens = { accessToken: string; idToken: string | null };

export type VerifiedTokens = {
  user: User;
  /** Milliseconds by which the user pool's clock is ahead of this machine's. */
  clockDrift: number;
  /** The earlier expiry of the two tokens, in milliseconds, by the user pool's clock. */
  expiresAt: number;
  /** When the user signed in at the hosted login, in milliseconds by the user pool's clock. A refresh does not change it. */
  authenticatedAt: number | null;
  scopes: readonly string[];
  /** Present for remembered devices. The user pool requires it at every refresh. */
  deviceKey: string | null;
};

export type TokenVerifier = {
  /**
   * Verifies both tokens (OpenID Connect Core section 3.1.3.7; AWS, "Verifying JSON web tokens"). `nonce` is the one of
   * the sign-in, or null for a refresh. Rejects with the `SignInError` `invalid-token` for invalid tokens, and with the
   * `UpstreamError` `KeysUnavailable` if the user pool's keys cannot be fetched.
   */
  verify(tokens: IssuedTokens, nonce: string | null): Promise<VerifiedTokens>;
};

const KEYS_TIMEOUT_MS = 4000;
const KEYS_MAX_AGE_MS = 60 * 60 * 1000;

/**
 * The greatest difference between the clocks that is compensated. Without a limit, the age of an old token would count
 * as drift, and no access token would ever expire.
 */
const MAX_DRIFT_MS = 15 * 60 * 1000;

/** https://docs.aws.amazon.com/cognito/latest/developerguide/quotas.html */
const groups = z.array(z.string().min(1).max(128)).default([]);

const accessClaims = z.object({
  sub: z.string().min(1),
  'cognito:groups': groups,
  iat: z.number(),
  exp: z.number(),
  client_id: z.string(),
  token_use: z.literal('access'),
  device_key: z.string().optional(),
  scope: z.string().default(''),
});

const idClaims = z.object({
  sub: z.string().min(1),
  'cognito:groups': groups,
  exp: z.number(),
  token_use: z.literal('id'),
  nonce: z.string().optional(),
  auth_time: z.number().optional(),
  email: z.string().optional(),
  name: z.string().optional(),
});

type TokenVerifierDeps = { env: Pick<Settings, 'userPool'>; clock: Clock };

/** Creates a verifier with its own cache of the user pool's keys. */
export function createTokenVerifier({ env, clock }: TokenVerifierDeps): TokenVerifier {
  const { issuer, clientId } = env.userPool;
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    cacheMaxAge: KEYS_MAX_AGE_MS,
    [customFetch]: get,
  });

  const claimsOf = async (token: string, now: number, audience?: string): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      algorithms: ['RS256'],
      currentDate: new Date(now),
      ...(audience === undefined ? {} : { audience }),
    });
    return payload;
  };

  return {
    async verify({ accessToken, idToken }, nonce) {
      try {
        const clockDrift = clockDriftOf(accessToken, clock());
        const now = clock() + clockDrift;
        const access = accessClaims.parse(await claimsOf(accessToken, now));
        if (access.client_id !== clientId) throw invalid('the access token is for another client');
        const id = idToken === null ? null : idClaims.parse(await claimsOf(idToken, now, clientId));
        if (id && id.sub !== access.sub) throw invalid('the tokens belong to different users');
        if (nonce !== null && id?.nonce !== nonce) throw invalid('the ID token belongs to another sign-in');
        return {
          user: {
            sub: access.sub,
            email: id?.email ?? null,
            name: id?.name ?? null,
            groups: (id ?? access)['cognito:groups'],
          },
          clockDrift,
          expiresAt: Math.min(access.exp, id?.exp ?? access.exp) * 1000,
          authenticatedAt: id?.auth_time === undefined ? null : id.auth_time * 1000,
          scopes: access.scope.split(' ').filter(Boolean),
          deviceKey: access.device_key ?? null,
        };
      } catch (error) {
        throw toVerificationError(error);
      }
    },
  };
}

/** Reads `iat` before the signature is verified. It only shifts the time at which the verified token is checked. */
function clockDriftOf(accessToken: string, now: number): number {
  const { iat } = decodeJwt(accessToken);
  if (iat === undefined) throw invalid('iat not found in access token');
  const drift = iat * 1000 - now;
  return Math.abs(drift) <= MAX_DRIFT_MS ? drift : 0;
}

function invalid(message: string, cause?: unknown): SignInError {
  return new SignInError('invalid-token', message, cause);
}

/** An error of jose means an invalid token, unless it was thrown because the keys could not be fetched. */
function toVerificationError(error: unknown): SignInError | UpstreamError {
  if (error instanceof SignInError) return error;
  if (error instanceof z.ZodError) return invalid('a claim is missing or has the wrong type', error);
  const isAboutKeys =
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    !(error instanceof errors.JOSEError) ||
    error.code === errors.JOSEError.code;
  if (!isAboutKeys) return invalid('the token is not valid', error);
  return new UpstreamError('user-pool', 'KeysUnavailable', "the user pool's keys could not be fetched", {
    cause: error,
  });
}
