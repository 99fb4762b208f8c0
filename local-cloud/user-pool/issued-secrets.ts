/** Word of every secret that the local cloud gives out or is handed, so that tests can look for it where it must not be. */
import type { AccessKeys } from '../identity-pool/access-keys.ts';
import type { AuthorizationCodes } from '../oauth/authorization-codes.ts';
import type { Grants } from './grants.ts';
import type { Tokens } from './tokens.ts';

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

/** Hears of each secret as it is issued. */
export type OnSecret = (kind: SecretKind, value: string) => void;

/** The same tokens; each that is made is told. */
export function tellingTokens(tokens: Tokens, onSecret: OnSecret): Tokens {
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

/** The same grants; each refresh token is told. */
export function tellingGrants(grants: Grants, onSecret: OnSecret): Grants {
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

/** The same codes; each is told. */
export function tellingCodes(codes: AuthorizationCodes, onSecret: OnSecret): AuthorizationCodes {
  return {
    ...codes,
    issue(authorization) {
      const code = codes.issue(authorization);
      onSecret('authorization code', code);
      return code;
    },
  };
}

/** The same keys; all three parts of each are told. */
export function tellingAccessKeys(accessKeys: AccessKeys, onSecret: OnSecret): AccessKeys {
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
