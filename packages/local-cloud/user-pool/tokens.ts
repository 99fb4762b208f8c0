import { randomUUID } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import type { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Keys, SigningKey } from './keys.ts';
import {
  type AccessClaims,
  accessClaims,
  accessTokenClaims,
  type Grant,
  type IdClaims,
  idClaims,
  idTokenClaims,
} from './token-claims.ts';
import type { UserPool } from './user-pool.ts';

/**
 * Thrown when a token is not valid. `expiresAt`, in seconds since the epoch, is set only for the reason `expired`.
 */
export class TokenError extends Error {
  override readonly name = 'TokenError';

  constructor(
    readonly reason:
      | 'malformed'
      | 'wrong-signature'
      | 'wrong-issuer'
      | 'wrong-client'
      | 'wrong-use'
      | 'expired'
      | 'revoked',
    readonly expiresAt: number | null = null,
  ) {
    super(`The token is not valid: ${reason}.`);
  }
}

export type Tokens = {
  /** Returns a signed ID token. */
  mintIdToken(grant: Grant, nonce: string | null): Promise<string>;
  /** Returns a signed access token. */
  mintAccessToken(grant: Grant): Promise<string>;
  /** Returns the claims of a valid ID token of one of the app clients. Throws `TokenError`. */
  verifyIdToken(token: string): Promise<IdClaims>;
  /** Returns the claims of a valid access token of one of the app clients. Throws `TokenError`. */
  verifyAccessToken(token: string): Promise<AccessClaims>;
  /** Returns the lifetime of new ID and access tokens in seconds. */
  lifetime(): number;
};

export type TokensDeps = {
  keys: Keys;
  userPool: UserPool;
  clock: Clock;
  /** Returns the lifetime of new tokens in seconds. */
  lifetime: () => number;
  /** Returns whether a sign-in was revoked or is unknown. */
  isRevoked: (originJti: string) => boolean;
};

/**
 * Signs and verifies ID and access tokens (RFC 7519) with Cognito's claims. They are as large as Cognito's tokens.
 */
export function createTokens(deps: TokensDeps): Tokens {
  const { keys, userPool, lifetime } = deps;
  const requireClient = (id: string) => {
    if (!userPool.findClient(id)) throw new TokenError('wrong-client');
  };
  return {
    lifetime,
    mintIdToken: (grant, nonce) => sign(idTokenClaims(grant, nonce, userPool.id), keys.id, deps),
    mintAccessToken: (grant) => sign(accessTokenClaims(grant, userPool.id), keys.access, deps),
    async verifyIdToken(token) {
      const claims = await verify(token, keys.id, idClaims, deps);
      requireClient(claims.aud);
      return claims;
    },
    async verifyAccessToken(token) {
      const claims = await verify(token, keys.access, accessClaims, deps);
      requireClient(claims.client_id);
      return claims;
    },
  };
}

/** Returns an ID token, if the scopes contain `openid`, and an access token, with their lifetime in seconds. */
export async function mintTokens(
  tokens: Tokens,
  grant: Grant,
  nonce: string | null,
): Promise<{ idToken: string | null; accessToken: string; expiresIn: number }> {
  return {
    idToken: grant.scopes.includes('openid') ? await tokens.mintIdToken(grant, nonce) : null,
    accessToken: await tokens.mintAccessToken(grant),
    expiresIn: tokens.lifetime(),
  };
}

function sign(
  claims: JWTPayload,
  key: SigningKey,
  { userPool, clock, lifetime }: TokensDeps,
): Promise<string> {
  const issuedAt = Math.floor(clock() / 1000);
  return new SignJWT({
    ...claims,
    iss: userPool.issuer,
    iat: issuedAt,
    exp: issuedAt + lifetime(),
    jti: randomUUID(),
  })
    .setProtectedHeader({ kid: key.kid, alg: 'RS256' })
    .sign(key.privateKey);
}

async function verify<T extends IdClaims | AccessClaims>(
  token: string,
  key: SigningKey,
  schema: z.ZodType<T>,
  { userPool, clock, isRevoked }: TokensDeps,
): Promise<T> {
  const options = { issuer: userPool.issuer, algorithms: ['RS256'], currentDate: new Date(clock()) };
  const claims = schema.safeParse(await verifySignature(token, key, options));
  if (!claims.success) throw new TokenError('wrong-use');
  if (isRevoked(claims.data.origin_jti)) throw new TokenError('revoked');
  return claims.data;
}

async function verifySignature(
  token: string,
  key: SigningKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, key.publicKey, options)).payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new TokenError('expired', error.payload.exp ?? null);
    if (error instanceof errors.JWSSignatureVerificationFailed) throw new TokenError('wrong-signature');
    if (error instanceof errors.JWTClaimValidationFailed) throw new TokenError('wrong-issuer');
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw new TokenError('malformed');
    throw error;
  }
}
