import { randomUUID } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import { type Roles, roleClaims } from '../infra/roles.ts';
import type { OnSecret } from '../issued-secrets.ts';
import type { Grant, Grants } from './grants.ts';
import type { Keys, SigningKey } from './keys.ts';
import type { UserPool } from './user-pool.ts';

const sharedClaims = z.looseObject({
  sub: z.string(),
  iss: z.string(),
  origin_jti: z.string(),
  'cognito:groups': z.array(z.string()).nullable().default(null),
});
const idClaims = sharedClaims.extend({
  token_use: z.literal('id'),
  aud: z.string(),
  'cognito:roles': z.array(z.string()).optional(),
  'cognito:preferred_role': z.string().optional(),
});
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
    readonly reason: 'invalid' | 'wrong-signature' | 'wrong-client' | 'expired' | 'revoked',
    readonly expiresAt: number | null = null,
  ) {
    super(`The token is not valid: ${reason}.`);
  }
}

/** The tokens of a response. There is no ID token without the scope `openid`. `expiresIn` is in seconds. */
export type IssuedTokens = { idToken: string | null; accessToken: string; expiresIn: number };

export type Tokens = {
  issue(grant: Grant, nonce: string | null): Promise<IssuedTokens>;
  /** Returns the claims of a valid ID token of one of the app clients. Throws `TokenError`. */
  verifyIdToken(token: string): Promise<IdClaims>;
  /** Returns the claims of a valid access token of one of the app clients. Throws `TokenError`. */
  verifyAccessToken(token: string): Promise<AccessClaims>;
};

export type TokensDeps = {
  keys: Keys;
  userPool: UserPool;
  clock: Clock;
  /** Returns the lifetime of new tokens in seconds. */
  lifetime: () => number;
  isRevoked: Grants['isRevoked'];
  /** Returns the names of a user's groups. */
  groupsOf: (sub: string) => readonly string[];
  /** Returns the attribute `name` of a user, or null. */
  nameOf: (sub: string) => string | null;
  roles: Roles;
  onSecret: OnSecret;
};

/** Signs and verifies ID and access tokens (RFC 7519) with Cognito's claims. They are as large as Cognito's tokens. */
export function createTokens(deps: TokensDeps): Tokens {
  const { keys, userPool, clock, lifetime, groupsOf, nameOf, roles, onSecret } = deps;
  const requireClient = (id: string) => {
    if (!userPool.findClient(id)) throw new TokenError('wrong-client');
  };
  return {
    async issue(grant, nonce) {
      const names = groupsOf(grant.sub);
      // The tokens of one response expire at the same time, like Cognito's.
      const iat = Math.floor(clock() / 1000);
      const shared = {
        ...{ iss: userPool.issuer, iat, exp: iat + lifetime() },
        ...(names.length > 0 ? { 'cognito:groups': names } : {}),
      };
      const idToken = grant.scopes.includes('openid')
        ? await sign(
            { ...idTokenClaims(grant, nonce, nameOf(grant.sub)), ...shared, ...roleClaims(names, roles) },
            keys.id,
          )
        : null;
      const accessToken = await sign({ ...accessTokenClaims(grant), ...shared }, keys.access);
      if (idToken !== null) onSecret('ID token', idToken);
      onSecret('access token', accessToken);
      return { idToken, accessToken, expiresIn: lifetime() };
    },
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

function sign(claims: JWTPayload, key: SigningKey): Promise<string> {
  return new SignJWT({ ...claims, jti: randomUUID() })
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
  const { payload } = await jwtVerify(token, key.publicKey, options).catch((error: unknown) => {
    if (error instanceof errors.JWTExpired) throw new TokenError('expired', error.payload.exp ?? null);
    if (error instanceof errors.JWSSignatureVerificationFailed) throw new TokenError('wrong-signature');
    if (error instanceof errors.JOSEError || error instanceof TypeError) throw new TokenError('invalid');
    throw error;
  });
  const claims = schema.safeParse(payload);
  if (!claims.success) throw new TokenError('invalid');
  if (isRevoked(claims.data.origin_jti)) throw new TokenError('revoked');
  return claims.data;
}

/**
 * Returns the claims of an ID token, without those that signing adds. Those of custom attributes and of the profile make
 * it as large as a real one.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
 */
function idTokenClaims(grant: Grant, nonce: string | null, name: string | null): JWTPayload {
  const acceptedAt = new Date(grant.authTime * 1000).toISOString();
  return {
    sub: grant.sub,
    'cognito:username': grant.sub,
    email: grant.email,
    email_verified: true,
    ...(name === null ? {} : { name }),
    'custom:account': grant.originJti,
    'custom:plan': 'community',
    'custom:terms': JSON.stringify({ version: '2026-01', acceptedAt }),
    'custom:newsletter': JSON.stringify({ topics: ['releases', 'security'], confirmedAt: acceptedAt }),
    'custom:invitation': `https://example.com/invitations/${grant.originJti}`,
    locale: 'en-US',
    zoneinfo: 'Etc/UTC',
    updated_at: grant.authTime,
    origin_jti: grant.originJti,
    aud: grant.clientId,
    event_id: randomUUID(),
    ...(nonce === null ? {} : { nonce }),
    token_use: 'id',
    auth_time: grant.authTime,
  };
}

/**
 * Returns the claims of an access token, without those that signing adds.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
 */
function accessTokenClaims(grant: Grant): JWTPayload {
  return {
    sub: grant.sub,
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
