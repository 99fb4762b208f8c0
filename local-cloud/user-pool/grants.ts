import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import type { Store } from '../storage/store.ts';
import type { Grant } from './tokens.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY_MS;
/** How many replaced tokens a grant remembers, to know them when they come again. */
const REMEMBERED_TOKENS = 500;

const schema = z.record(
  z.string(),
  z.object({
    originJti: z.string(),
    clientId: z.string(),
    sub: z.string(),
    email: z.string(),
    scopes: z.array(z.string()),
    authTime: z.number(),
    expiresAt: z.number(),
    revoked: z.boolean(),
    /** Newest first. A token that another replaced keeps the moment of it. */
    tokens: z.array(z.object({ hash: z.string(), replacedAt: z.number().nullable() })),
  }),
);
type KeptGrant = z.infer<typeof schema>[string];

/** `reused`: a replaced token came again after its grace. The whole grant is revoked by then. */
export class RefreshTokenError extends Error {
  override readonly name = 'RefreshTokenError';

  constructor(readonly reason: 'unknown' | 'expired' | 'revoked' | 'reused') {
    super(`The refresh token is not accepted: ${reason}.`);
  }
}

export type Grants = {
  /** Keeps what a sign-in granted and answers its first refresh token. */
  open(grant: Omit<Grant, 'originJti'>): { grant: Grant; refreshToken: string };
  /**
   * The grant of a refresh token and, when `rotate` is set, the token that replaces it, good for what is left of the
   * first one's lifetime. The replaced token stays good for the grace period. Throws `RefreshTokenError`.
   */
  redeem(
    refreshToken: string,
    clientId: string,
    rotate: boolean,
  ): { grant: Grant; refreshToken: string | null };
  /** Revokes a refresh token's grant, if it is one of this client's. */
  revokeToken(refreshToken: string, clientId: string): void;
  revoke(originJti: string): void;
  find(originJti: string): Grant | undefined;
  /** Whether a grant was revoked, or is not known at all. */
  isRevoked(originJti: string): boolean;
};

/** The refresh tokens' keeper; only their hashes are kept. `graceMs` is the rotation's grace period (0 to 60 s). */
export function openGrants(
  store: Store,
  { clock, graceMs }: { clock: Clock; graceMs: () => number },
): Grants {
  const section = store.section({ name: 'grants', schema, initial: () => ({}) });

  function findByToken(refreshToken: string, clientId: string): KeptGrant | undefined {
    const hash = hashOf(refreshToken);
    return Object.values(section.value).find(
      (kept) => kept.clientId === clientId && kept.tokens.some((token) => token.hash === hash),
    );
  }

  function revoke(originJti: string): void {
    section.change((grants) => {
      const kept = grants[originJti];
      if (kept) kept.revoked = true;
    });
  }

  function assertUsable(kept: KeptGrant, refreshToken: string): void {
    if (kept.revoked) throw new RefreshTokenError('revoked');
    if (kept.expiresAt <= clock()) throw new RefreshTokenError('expired');
    const hash = hashOf(refreshToken);
    const replacedAt = kept.tokens.find((token) => token.hash === hash)?.replacedAt ?? null;
    if (replacedAt !== null && clock() - replacedAt >= graceMs()) {
      revoke(kept.originJti);
      throw new RefreshTokenError('reused');
    }
  }

  return {
    open(granted) {
      const grant = { originJti: randomUUID(), ...granted };
      const refreshToken = makeRefreshToken();
      section.change((grants) => {
        forgetExpired(grants, clock());
        grants[grant.originJti] = {
          ...grant,
          expiresAt: clock() + REFRESH_TOKEN_LIFETIME_MS,
          revoked: false,
          tokens: [{ hash: hashOf(refreshToken), replacedAt: null }],
        };
      });
      return { grant, refreshToken };
    },
    redeem(refreshToken, clientId, rotate) {
      const kept = findByToken(refreshToken, clientId);
      if (!kept) throw new RefreshTokenError('unknown');
      assertUsable(kept, refreshToken);
      if (!rotate) return { grant: kept, refreshToken: null };
      const next = makeRefreshToken();
      section.change(() => replaceToken(kept, hashOf(refreshToken), hashOf(next), clock()));
      return { grant: kept, refreshToken: next };
    },
    revokeToken(refreshToken, clientId) {
      const kept = findByToken(refreshToken, clientId);
      if (kept) revoke(kept.originJti);
    },
    revoke,
    find: (originJti) => section.value[originJti],
    isRevoked: (originJti) => section.value[originJti]?.revoked !== false,
  };
}

function replaceToken(kept: KeptGrant, hash: string, nextHash: string, now: number): void {
  for (const token of kept.tokens) {
    // A second use within the grace does not lengthen it.
    if (token.hash === hash) token.replacedAt ??= now;
  }
  kept.tokens = [{ hash: nextHash, replacedAt: null }, ...kept.tokens].slice(0, REMEMBERED_TOKENS);
}

function forgetExpired(grants: Record<string, KeptGrant>, now: number): void {
  for (const [originJti, kept] of Object.entries(grants)) {
    if (kept.expiresAt <= now) delete grants[originJti];
  }
}

function hashOf(refreshToken: string): string {
  return createHash('sha256').update(refreshToken).digest('base64url');
}

/**
 * An opaque token of the form and size of Cognito's: a JWE (RFC 7516 section 7.1) that nobody is meant to open. Header,
 * encrypted key, initialization vector, ciphertext, tag: about 1.75 kB.
 */
function makeRefreshToken(): string {
  const header = Buffer.from('{"cty":"JWT","enc":"A256GCM","alg":"RSA-OAEP"}');
  const parts = [header, randomBytes(256), randomBytes(12), randomBytes(974), randomBytes(16)];
  return parts.map((part) => part.toString('base64url')).join('.');
}
