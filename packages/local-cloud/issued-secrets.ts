/**
 * Reports every secret that the local cloud issues or receives. Tests use it to find secrets in places where none
 * may be.
 */
import type { AccessKeys } from './identity-pool/access-keys.ts';
import type { AuthorizationCodes } from './oauth/authorization-codes.ts';
import type { Grants } from './user-pool/grants.ts';
import type { Tokens } from './user-pool/tokens.ts';

export type SecretKind =
  | 'client secret'
  | 'authorization code'
  | 'code verifier'
  | 'access token'
  | 'ID token'
  | 'refresh token'
  | 'AWS access key id'
  | 'AWS secret key'
  | 'AWS session token';

/** Called with every secret. */
export type OnSecret = (kind: SecretKind, value: string) => void;

/** Returns the same tokens; calls `onSecret` with every new one. */
export function reportTokens(tokens: Tokens, onSecret: OnSecret): Tokens {
  return {
    ...tokens,
    async mintIdToken(grant, nonce) {
      const token = await tokens.mintIdToken(grant, nonce);
      onSecret('ID token', token);
      return token;
    },
    async mintAccessToken(grant) {
      const token = await tokens.mintAccessToken(grant);
      onSecret('access token', token);
      return token;
    },
  };
}

/** Returns the same grants; calls `onSecret` with every new refresh token. */
export function reportRefreshTokens(grants: Grants, onSecret: OnSecret): Grants {
  return {
    ...grants,
    open(granted) {
      const opened = grants.open(granted);
      onSecret('refresh token', opened.refreshToken);
      return opened;
    },
    redeem(refreshToken, clientId, rotate) {
      const redeemed = grants.redeem(refreshToken, clientId, rotate);
      if (redeemed.refreshToken !== null) onSecret('refresh token', redeemed.refreshToken);
      return redeemed;
    },
  };
}

/** Returns the same authorization codes; calls `onSecret` with every new one. */
export function reportCodes(codes: AuthorizationCodes, onSecret: OnSecret): AuthorizationCodes {
  return {
    ...codes,
    issue(authorization) {
      const code = codes.issue(authorization);
      onSecret('authorization code', code);
      return code;
    },
  };
}

/** Returns the same access keys; calls `onSecret` with the three parts of every new one. */
export function reportAccessKeys(accessKeys: AccessKeys, onSecret: OnSecret): AccessKeys {
  return {
    ...accessKeys,
    issue(identityId, sub) {
      const key = accessKeys.issue(identityId, sub);
      onSecret('AWS access key id', key.accessKeyId);
      onSecret('AWS secret key', key.secretAccessKey);
      onSecret('AWS session token', key.sessionToken);
      return key;
    },
  };
}
