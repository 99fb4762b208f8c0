/** Whether tokens are what the user pool issued to this client, and what they say about the visitor. */
import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Env } from '../config/env.ts';
import type { Clock } from '../resilience/clock.ts';
import { UpstreamError } from '../resilience/upstream-error.ts';
import { SignInError } from './sign-in-error.ts';
import type { User } from './tokens.ts';

export type IssuedTokens = { accessToken: string; idToken: string | null };

export type VerifiedTokens = {
  user: User;
  /** Milliseconds that the user pool's clock is ahead of this machine's. */
  clockDrift: number;
  /** The earlier expiry of the two tokens, in milliseconds, by the user pool's clock. */
  expiresAt: number;
  /** Set for devices that the user pool remembers: it wants to see it again at every refresh. */
  deviceKey: string | null;
};

export type TokenVerifier = {
  /**
   * Checks both tokens (OpenID Connect Core section 3.1.3.7; AWS, "Verifying JSON web tokens"). `nonce` is what the
   * sign-in sent; null where there was none, as at a refresh. Throws `SignInError` `invalid-token` for tokens that
   * prove nothing, and `UpstreamError` when the user pool's keys cannot be had.
   */
  verify(tokens: IssuedTokens, nonce: string | null): Promise<VerifiedTokens>;
};

const KEYS_TIMEOUT_MS = 4000;
const KEYS_MAX_AGE_MS = 60 * 60 * 1000;

/**
 * How wrong this machine's clock may be before tokens are judged by it all the same. Without a limit, a token's age
 * would pass for drift, and no access token would ever be too old.
 */
const MAX_DRIFT_MS = 15 * 60 * 1000;

const accessClaims = z.object({
  sub: z.string().min(1),
  iat: z.number(),
  exp: z.number(),
  client_id: z.string(),
  token_use: z.literal('access'),
  device_key: z.string().optional(),
});

const idClaims = z.object({
  sub: z.string().min(1),
  exp: z.number(),
  token_use: z.literal('id'),
  nonce: z.string().optional(),
  email: z.string().optional(),
  name: z.string().optional(),
});

/** A verifier with its own cache of the user pool's keys. */
export function createTokenVerifier({
  env,
  clock,
}: {
  env: Pick<Env, 'userPool'>;
  clock: Clock;
}): TokenVerifier {
  const { issuer, clientId } = env.userPool;
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    cacheMaxAge: KEYS_MAX_AGE_MS,
  });

  const claimsOf = async (token: string, now: number, audience?: string): Promise<JWTPayload> => {
    const { payload } = await jwtVerify(token, keys, {
      issuer,
      algorithms: ['RS256'],
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(now),
      ...(audience === undefined ? {} : { audience }),
    });
    return payload;
  };

  return {
    async verify({ accessToken, idToken }, nonce) {
      try {
        const clockDrift = driftOf(accessToken, clock());
        const now = clock() + clockDrift;
        const access = accessClaims.parse(await claimsOf(accessToken, now));
        if (access.client_id !== clientId) throw invalid('the access token is for another client');
        const id = idToken === null ? null : idClaims.parse(await claimsOf(idToken, now, clientId));
        if (id && id.sub !== access.sub) throw invalid('the tokens are of two users');
        if (nonce !== null && id?.nonce !== nonce) throw invalid('the ID token is of another sign-in');
        return {
          user: { sub: access.sub, email: id?.email ?? null, name: id?.name ?? null },
          clockDrift,
          expiresAt: Math.min(access.exp, id?.exp ?? access.exp) * 1000,
          deviceKey: access.device_key ?? null,
        };
      } catch (error) {
        throw explain(error);
      }
    },
  };
}

/** Read before the signature is checked: `iat` only moves the time that the checked token is judged by. */
function driftOf(accessToken: string, now: number): number {
  const { iat } = decodeJwt(accessToken);
  if (iat === undefined) throw invalid('iat not found in access token');
  const drift = iat * 1000 - now;
  return Math.abs(drift) <= MAX_DRIFT_MS ? drift : 0;
}

function invalid(message: string, cause?: unknown): SignInError {
  return new SignInError('invalid-token', message, cause);
}

/** What jose throws is about the token, but for what it throws when it could not get the keys. */
function explain(error: unknown): SignInError | UpstreamError {
  if (error instanceof SignInError) return error;
  if (error instanceof z.ZodError) return invalid('a claim is missing or of the wrong kind', error);
  const isAboutKeys =
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    !(error instanceof errors.JOSEError) ||
    error.code === errors.JOSEError.code;
  if (!isAboutKeys) return invalid('the token does not verify', error);
  return new UpstreamError('user-pool', 'KeysUnavailable', "the user pool's keys cannot be had", {
    cause: error,
  });
}
