import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../http/exchange.ts';
import type { Grant } from '../user-pool/tokens.ts';

const LIFETIME_MS = 5 * 60 * 1000;

/** What a visitor's sign-in allowed a client, until the client comes for it. */
export type Authorization = Omit<Grant, 'originJti'> & {
  redirectUri: string;
  codeChallenge: string;
  nonce: string | null;
};

export type AuthorizationCodes = {
  issue(authorization: Authorization): string;
  /**
   * What the code stands for, once. Null for a code that is unknown, too old, another client's, or used; a used one
   * also revokes what it brought (RFC 6749 section 4.1.2).
   */
  redeem(code: string, clientId: string): Authorization | null;
  /** Notes which grant a redeemed code brought. */
  granted(code: string, originJti: string): void;
  clear(): void;
};

type Issued = { authorization: Authorization; issuedAt: number; used: boolean; originJti: string | null };

/** Authorization codes (RFC 6749 section 4.1): in memory, good for five minutes, good once. */
export function createAuthorizationCodes({
  clock,
  revokeGrant,
}: {
  clock: Clock;
  revokeGrant: (originJti: string) => void;
}): AuthorizationCodes {
  const codes = new Map<string, Issued>();

  function forgetExpired(): void {
    for (const [code, { issuedAt }] of codes) {
      if (clock() - issuedAt >= LIFETIME_MS) codes.delete(code);
    }
  }

  return {
    issue(authorization) {
      forgetExpired();
      const code = randomUUID();
      codes.set(code, { authorization, issuedAt: clock(), used: false, originJti: null });
      return code;
    },
    redeem(code, clientId) {
      forgetExpired();
      const issued = codes.get(code);
      if (!issued || issued.authorization.clientId !== clientId) return null;
      if (issued.used) {
        if (issued.originJti) revokeGrant(issued.originJti);
        return null;
      }
      issued.used = true;
      return issued.authorization;
    },
    granted(code, originJti) {
      const issued = codes.get(code);
      if (issued) issued.originJti = originJti;
    },
    clear: () => codes.clear(),
  };
}

/** Whether a code verifier belongs to a challenge of method S256 (RFC 7636 section 4.6). */
export function matchesChallenge(codeVerifier: string, codeChallenge: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(codeVerifier)) return false;
  const computed = createHash('sha256').update(codeVerifier).digest();
  const expected = Buffer.from(codeChallenge, 'base64url');
  return computed.length === expected.length && timingSafeEqual(computed, expected);
}
