import { randomUUID } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Keys, SigningKey } from './keys.ts';
import type { UserPool } from './user-pool.ts';

/** What one sign-in gave: everything that the tokens made from it, now or by refreshing, have in common. */
export type Grant = {
  /** Names the sign-in in all its tokens; revoking the refresh token revokes by it. */
  originJti: string;
  clientId: string;
  sub: string;
  email: string;
  scopes: string[];
  /** Seconds since the epoch. Stays that of the sign-in when tokens are refreshed. */
  authTime: number;
};

const shared = z.object({
  sub: z.string(),
  iss: z.string(),
  exp: z.number(),
  iat: z.number(),
  auth_time: z.number(),
  jti: z.string(),
  origin_jti: z.string(),
});
const idClaims = shared.extend({ token_use: z.literal('id'), aud: z.string(), email: z.string() });
const accessClaims = shared.extend({
  token_use: z.literal('access'),
  client_id: z.string(),
  scope: z.string(),
  username: z.string(),
});

export type IdClaims = z.infer<typeof idClaims>;
export type AccessClaims = z.infer<typeof accessClaims>;

/** Why a token is no good. `expiresAt` (seconds since the epoch) comes with `expired` alone. */
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
    super(`The token is not accepted: ${reason}.`);
  }
}

export type Tokens = {
  /** https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html */
  mintIdToken(grant: Grant, nonce: string | null): Promise<string>;
  /** https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html */
  mintAccessToken(grant: Grant): Promise<string>;
  /** The claims of an ID token for one of the app clients. Throws `TokenError`. */
  verifyIdToken(token: string): Promise<IdClaims>;
  /** The claims of an access token of one of the app clients. Throws `TokenError`. */
  verifyAccessToken(token: string): Promise<AccessClaims>;
  /** Seconds that an ID or access token made now is good for. */
  lifetime(): number;
};

export type TokensDependencies = {
  keys: Keys;
  userPool: UserPool;
  clock: Clock;
  /** Seconds. */
  lifetime: () => number;
  /** Whether the sign-in that a token comes from was revoked, or is not known any more. */
  isRevoked: (originJti: string) => boolean;
};

/** Makes and verifies the user pool's ID and access tokens (RFC 7519), with Cognito's claims and of Cognito's size. */
export function createTokens({ keys, userPool, clock, lifetime, isRevoked }: TokensDependencies): Tokens {
  function sign(claims: JWTPayload, key: SigningKey): Promise<string> {
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

  async function verify<T extends z.infer<typeof shared>>(
    token: string,
    key: SigningKey,
    schema: z.ZodType<T>,
  ): Promise<T> {
    const options = { issuer: userPool.issuer, algorithms: ['RS256'], currentDate: new Date(clock()) };
    const claims = schema.safeParse(await verifySignature(token, key, options));
    if (!claims.success) throw new TokenError('wrong-use');
    if (isRevoked(claims.data.origin_jti)) throw new TokenError('revoked');
    return claims.data;
  }

  return {
    lifetime,
    mintIdToken: (grant, nonce) => sign(idTokenClaims(grant, nonce, userPool.id), keys.id),
    mintAccessToken: (grant) => sign(accessTokenClaims(grant, userPool.id), keys.access),
    async verifyIdToken(token) {
      const claims = await verify(token, keys.id, idClaims);
      if (!userPool.client(claims.aud)) throw new TokenError('wrong-client');
      return claims;
    },
    async verifyAccessToken(token) {
      const claims = await verify(token, keys.access, accessClaims);
      if (!userPool.client(claims.client_id)) throw new TokenError('wrong-client');
      return claims;
    },
  };
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

function idTokenClaims(grant: Grant, nonce: string | null, userPoolId: string): JWTPayload {
  const role = `arn:aws:iam::123456789012:role/tenfold-${userPoolId}-member`;
  return {
    sub: grant.sub,
    'cognito:groups': [`${userPoolId}_Members`],
    'cognito:preferred_role': role,
    'cognito:roles': [role],
    'cognito:username': grant.sub,
    email: grant.email,
    email_verified: true,
    ...profileClaims(grant),
    origin_jti: grant.originJti,
    aud: grant.clientId,
    event_id: randomUUID(),
    ...(nonce === null ? {} : { nonce }),
    token_use: 'id',
    auth_time: grant.authTime,
  };
}

/** What a pool's own attributes and its pre-token-generation trigger add; it is what makes real ID tokens large. */
function profileClaims(grant: Grant): JWTPayload {
  return {
    'custom:account': grant.originJti,
    'custom:plan': 'community',
    'custom:terms': JSON.stringify({
      version: '2026-01',
      acceptedAt: new Date(grant.authTime * 1000).toISOString(),
    }),
    locale: 'en-US',
    zoneinfo: 'Etc/UTC',
    updated_at: grant.authTime,
  };
}

function accessTokenClaims(grant: Grant, userPoolId: string): JWTPayload {
  return {
    sub: grant.sub,
    'cognito:groups': [`${userPoolId}_Members`],
    client_id: grant.clientId,
    origin_jti: grant.originJti,
    event_id: randomUUID(),
    token_use: 'access',
    scope: grant.scopes.join(' '),
    auth_time: grant.authTime,
    version: 2,
    username: grant.sub,
  };
}
