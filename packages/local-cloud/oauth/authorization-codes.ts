import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../http/exchange.ts';
import type { Grant } from '../user-pool/token-claims.ts';

const LIFETIME_MS = 5 * 60 * 1000;

/**
 * The data of an authorization code: the grant that it is exchanged for, and the values that the exchange is checked
 * against.
 */
type Authorization = Omit<Grant, 'originJti'> & {
  redirectUri: string;
  /** Null for an authorization request without PKCE. */
  codeChallenge: string | null;
  nonce: string | null;
};

export type AuthorizationCodes = {
  /** Returns a new code. */
  issue(authorization: Authorization): string;
  /**
   * Consumes a code. Returns null when it is unknown, expired, used or another client's. The second use of a code
   * also revokes the tokens that were issued for it (RFC 6749 section 4.1.2).
   */
  redeem(code: string, clientId: string): Authorization | null;
  /** Records the grant of a redeemed code, so that a second use of the code can revoke it. */
  recordGrant(code: string, originJti: string): void;
  clear(): void;
};

type Issued = { authorization: Authorization; issuedAt: number; used: boolean; originJti: string | null };

/**
 * Creates the in-memory store of authorization codes (RFC 6749 section 4.1). A code is valid once, for five
 * minutes.
 */
export function createAuthorizationCodes({
  clock,
  revokeGrant,
}: {
  clock: Clock;
  revokeGrant: (originJti: string) => void;
}): AuthorizationCodes {
  const codes = new Map<string, Issued>();

  function deleteExpired(): void {
    for (const [code, { issuedAt }] of codes) {
      if (clock() - issuedAt >= LIFETIME_MS) codes.delete(code);
    }
  }

  return {
    issue(authorization) {
      deleteExpired();
      const code = randomUUID();
      codes.set(code, { authorization, issuedAt: clock(), used: false, originJti: null });
      return code;
    },
    redeem(code, clientId) {
      deleteExpired();
      const issued = codes.get(code);
      if (!issued || issued.authorization.clientId !== clientId) return null;
      if (issued.used) {
        if (issued.originJti) revokeGrant(issued.originJti);
        return null;
      }
      issued.used = true;
      return issued.authorization;
    },
    recordGrant(code, originJti) {
      const issued = codes.get(code);
      if (issued) issued.originJti = originJti;
    },
    clear: () => codes.clear(),
  };
}

/**
 * Returns whether a code verifier belongs to a code challenge of method S256 (RFC 7636 section 4.6). A code that was
 * issued without a challenge must be redeemed without a verifier (RFC 9700 section 2.1.1).
 */
export function matchesChallenge(codeVerifier: string | null, codeChallenge: string | null): boolean {
  if (codeVerifier === null || codeChallenge === null) return codeVerifier === codeChallenge;
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(codeVerifier)) return false;
  const computed = createHash('sha256').update(codeVerifier).digest();
  const expected = Buffer.from(codeChallenge, 'base64url');
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
