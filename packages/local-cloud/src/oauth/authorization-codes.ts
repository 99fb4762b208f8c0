import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../http/exchange.ts';
import type { OnSecret } from '../issued-secrets.ts';
import type { Grant } from '../user-pool/grants.ts';

const LIFETIME_MS = 5 * 60 * 1000;

/** The grant that an authorization code is exchanged for, and the values that the exchange is checked against. */
type Authorization = {
  granted: Omit<Grant, 'originJti'>;
  redirectUri: string;
  /** Null for an authorization request without PKCE. */
  codeChallenge: string | null;
  nonce: string | null;
};

export type AuthorizationCodes = {
  /** Returns a new code. */
  issue(authorization: Authorization): string;
  /**
   * Consumes a code. Returns null when it is unknown, expired, used or another client's. The second use of a code also
   * revokes the tokens that were issued for it (RFC 6749 section 4.1.2).
   */
  redeem(code: string, clientId: string): Authorization | null;
  /** Records the grant of a redeemed code, so that a second use of the code can revoke it. */
  recordGrant(code: string, originJti: string): void;
  clear(): void;
};

type Issued = { authorization: Authorization; issuedAt: number; used: boolean; originJti?: string };

/** Creates the store of authorization codes (RFC 6749 section 4.1). A code is valid once, for five minutes. */
export function createAuthorizationCodes(options: {
  clock: Clock;
  revokeGrant: (originJti: string) => void;
  onSecret: OnSecret;
}): AuthorizationCodes {
  const { clock, revokeGrant, onSecret } = options;
  const codes = new Map<string, Issued>();
  return {
    issue(authorization) {
      for (const [code, { issuedAt }] of codes) {
        if (clock() - issuedAt >= LIFETIME_MS) codes.delete(code);
      }
      const code = randomUUID();
      onSecret('authorization code', code);
      codes.set(code, { authorization, issuedAt: clock(), used: false });
      return code;
    },
    redeem(code, clientId) {
      const issued = codes.get(code);
      if (!issued || issued.authorization.granted.clientId !== clientId) return null;
      if (clock() - issued.issuedAt >= LIFETIME_MS) return null;
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
  const computed = createHash('sha256').update(codeVerifier).digest('base64url');
  return computed === codeChallenge;
}
