import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../http/exchange.ts';
import type { OnSecret } from '../issued-secrets.ts';
import { hashSecret } from '../storage/secrets.ts';
import type { State, Store } from '../storage/store.ts';

const REFRESH_TOKEN_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** How many tokens of a grant are stored, so that the reuse of a replaced token is detected. */
const MAX_STORED_TOKENS = 500;

type StoredGrant = State['grants'][string];
/** The result of one sign-in: what all tokens issued for it have in common, including those of later refreshes. */
export type Grant = Pick<StoredGrant, 'originJti' | 'clientId' | 'sub' | 'email' | 'scopes' | 'authTime'>;

/** `reused` means that a replaced token was used after its grace period. The token that replaced it remains valid. */
type Problem = 'unknown' | 'expired' | 'revoked' | 'reused' | 'disabled';

/** Thrown when a refresh token is not valid, or its user is disabled. */
export class RefreshTokenError extends Error {
  override readonly name = 'RefreshTokenError';

  constructor(readonly reason: Problem) {
    super(`The refresh token is not valid: ${reason}.`);
  }
}

export type Grants = {
  /** Stores the grant of a new sign-in and returns it with its first refresh token. */
  open(grant: Omit<Grant, 'originJti'>): { grant: Grant; refreshToken: string };
  /**
   * Returns the grant of a refresh token. For a client with rotation it also returns the token that replaces it, which
   * expires when the first one would have. The replaced token remains valid for the grace period. Throws
   * `RefreshTokenError`.
   */
  redeem(
    refreshToken: string,
    client: { id: string; rotatesRefreshTokens: boolean },
  ): { grant: Grant; refreshToken: string | null };
  /** Revokes the grant of a refresh token. Does nothing for a token that is unknown or another client's. */
  revokeToken(refreshToken: string, clientId: string): void;
  /** Revokes a grant and with it every token of the sign-in. */
  revoke(originJti: string): void;
  /** Revokes all grants of a user. */
  revokeUser(sub: string): void;
  /** Returns whether a grant was revoked or is unknown. */
  isRevoked(originJti: string): boolean;
};

/**
 * Opens the stored grants with their refresh tokens. `graceMs` returns the grace period of the rotation.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
 */
export function openGrants(
  store: Store,
  options: { clock: Clock; graceMs: () => number; isEnabled: (sub: string) => boolean; onSecret: OnSecret },
): Grants {
  const { clock, graceMs, isEnabled } = options;
  const grants = () => Object.values(store.state.grants);

  function addToken(grant: StoredGrant): string {
    const refreshToken = generateRefreshToken();
    options.onSecret('refresh token', refreshToken);
    grant.tokens.unshift({ hash: hashSecret(refreshToken), replacedAt: null });
    grant.tokens.length = Math.min(grant.tokens.length, MAX_STORED_TOKENS);
    store.save();
    return refreshToken;
  }
  function find(refreshToken: string, clientId: string) {
    const hash = hashSecret(refreshToken);
    for (const grant of grants()) {
      const token = grant.tokens.find((candidate) => candidate.hash === hash);
      if (token && grant.clientId === clientId) return { grant, token };
    }
    throw new RefreshTokenError('unknown');
  }
  function revoke(isAffected: (grant: StoredGrant) => boolean): void {
    for (const grant of grants().filter(isAffected)) grant.revoked = true;
    store.save();
  }

  return {
    open(granted) {
      for (const { originJti, expiresAt } of grants()) {
        if (expiresAt <= clock()) delete store.state.grants[originJti];
      }
      const expiresAt = clock() + REFRESH_TOKEN_LIFETIME_MS;
      const grant = { ...granted, originJti: randomUUID(), expiresAt, revoked: false, tokens: [] };
      store.state.grants[grant.originJti] = grant;
      return { grant, refreshToken: addToken(grant) };
    },
    redeem(refreshToken, client) {
      const { grant, token } = find(refreshToken, client.id);
      const now = clock();
      if (grant.revoked) throw new RefreshTokenError('revoked');
      if (grant.expiresAt <= now) throw new RefreshTokenError('expired');
      if (token.replacedAt !== null && now - token.replacedAt >= graceMs())
        throw new RefreshTokenError('reused');
      if (!isEnabled(grant.sub)) throw new RefreshTokenError('disabled');
      if (!client.rotatesRefreshTokens) return { grant, refreshToken: null };
      // A second use within the grace period does not extend it.
      token.replacedAt ??= now;
      return { grant, refreshToken: addToken(grant) };
    },
    revokeToken(refreshToken, clientId) {
      const hash = hashSecret(refreshToken);
      revoke((grant) => grant.clientId === clientId && grant.tokens.some((token) => token.hash === hash));
    },
    revoke: (originJti) => revoke((grant) => grant.originJti === originJti),
    revokeUser: (sub) => revoke((grant) => grant.sub === sub),
    isRevoked: (originJti) => store.state.grants[originJti]?.revoked !== false,
  };
}

/**
 * Returns an opaque token with the form and size of Cognito's, about 1.75 kB. The form is a JWE in compact
 * serialization (RFC 7516 section 7.1): header, encrypted key, initialization vector, ciphertext, authentication tag.
 */
function generateRefreshToken(): string {
  const header = Buffer.from('{"cty":"JWT","enc":"A256GCM","alg":"RSA-OAEP"}');
  const parts = [header, randomBytes(256), randomBytes(12), randomBytes(974), randomBytes(16)];
  return parts.map((part) => part.toString('base64url')).join('.');
}
