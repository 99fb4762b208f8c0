/** The claims of ID tokens and access tokens, and the grant that they are issued for. */
import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { z } from 'zod';

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
/** The claims that every ID token has. */
export const idClaims = sharedClaims.extend({
  token_use: z.literal('id'),
  aud: z.string(),
  email: z.string(),
});
/** The claims that every access token has. */
export const accessClaims = sharedClaims.extend({
  token_use: z.literal('access'),
  client_id: z.string(),
  scope: z.string(),
  username: z.string(),
});

export type IdClaims = z.infer<typeof idClaims>;
export type AccessClaims = z.infer<typeof accessClaims>;

/**
 * Returns the claims of an ID token, without those that signing adds.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
 */
export function idTokenClaims(grant: Grant, nonce: string | null, userPoolId: string): JWTPayload {
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

/** Returns claims like those of custom attributes and of a token trigger. They make ID tokens as large as real ones. */
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

/**
 * Returns the claims of an access token, without those that signing adds.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
 */
export function accessTokenClaims(grant: Grant, userPoolId: string): JWTPayload {
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
