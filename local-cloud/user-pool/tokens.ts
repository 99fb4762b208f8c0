import { randomUUID } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Keys, SigningKey } from './keys.ts';
import type { UserPool } from './user-pool.ts';

/** The result of one sign-in: what all tokens issued for it have in common, including those of later refreshes. */
export type Grant = {
  /** The `origin_jti` claim. It identifies the sign-in, and revocation applies to all tokens that contain it. */
  originJti: string;
  clientId: string;
  sub: string;
  email: string;
  scopes: string[];
  /** The time of the sign-in in seconds since the epoch. A refresh does not change it. */
  authTime: number;
};

const sharedClaims = z.object({
  sub: z.string(),
  iss: z.string(),
  exp: z.number(),
  iat: z.number(),
  auth_time: z.number(),
  jti: z.string(),
  origin_jti: z.string(),
});
const idClaims = sharedClaims.extend({ token_use: z.literal('id'), aud: z.string(), email: z.string() });
const accessClaims = sharedClaims.extend({
  token_use: z.literal('access'),
  client_id: z.string(),
  scope: z.string(),
  username: z.string(),
});

export type IdClaims = z.infer<typeof idClaims>;
export type AccessClaims = z.infer<typeof accessClaims>;

/** Thrown when a token is not valid. `expiresAt`, in seconds since the epoch, is set only for the reason `expired`. */
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
  /**
   * Returns a signed ID token.
   * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
   */
  mintIdToken(grant: Grant, nonce: string | null): Promise<string>;
  /**
   * Returns a signed access token.
   * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
   */
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

/** Signs and verifies ID and access tokens (RFC 7519) with Cognito's claims. They are as large as Cognito's tokens. */
export function createTokens({ keys, userPool, clock, lifetime, isRevoked }: TokensDeps): Tokens {
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

  async function verify<T extends z.infer<typeof sharedClaims>>(
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
      if (!userPool.findClient(claims.aud)) throw new TokenError('wrong-client');
      return claims;
    },
    async verifyAccessToken(token) {
      const claims = await verify(token, keys.access, accessClaims);
      if (!userPool.findClient(claims.client_id)) throw new TokenError('wrong-client');
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

/** Claims such as custom attributes and a pre token generation trigger add. They make ID tokens as large as real ones. */
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
