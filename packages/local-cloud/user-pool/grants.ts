import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../http/exchange.ts';
import { hashSecret } from '../storage/secrets.ts';
import type { Section, Store } from '../storage/store.ts';
import type { Grant } from './token-claims.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const REFRESH_TOKEN_LIFETIME_MS = 30 * DAY_MS;
/** How many tokens of a grant are stored, so that the reuse of a replaced token is detected. */
const MAX_STORED_TOKENS = 500;

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
    /** Hashes of the refresh tokens, newest first. `replacedAt` is the time at which rotation replaced a token. */
    tokens: z.array(z.object({ hash: z.string(), replacedAt: z.number().nullable() })),
  }),
);
type StoredGrants = z.infer<typeof schema>;
type StoredGrant = StoredGrants[string];

/**
 * Thrown when a refresh token is not valid. `reused` means that a replaced token was used after its grace period. The
 * token that replaced it remains valid.
 */
export class RefreshTokenError extends Error {
  override readonly name = 'RefreshTokenError';

  constructor(readonly reason: 'unknown' | 'expired' | 'revoked' | 'reused') {
    super(`The refresh token is not valid: ${reason}.`);
  }
}

export type Grants = {
  /** Stores the grant of a new sign-in and returns it with its first refresh token. */
  open(grant: Omit<Grant, 'originJti'>): { grant: Grant; refreshToken: string };
  /**
   * Returns the grant of a refresh token. With `rotate` it also returns the token that replaces it. The new token
   * expires when the first one would have. The replaced token remains valid for the grace period. Throws
   * `RefreshTokenError`.
   */
  redeem(
    refreshToken: string,
    clientId: string,
    rotate: boolean,
  ): { grant: Grant; refreshToken: string | null };
  /** Revokes the grant of a refresh token. Does nothing for a token that is unknown or another client's. */
  revokeToken(refreshToken: string, clientId: string): void;
  /** Revokes a grant and with it every token of the sign-in. */
  revoke(originJti: string): void;
  /** Revokes all grants of a user. */
  revokeUser(sub: string): void;
  find(originJti: string): Grant | undefined;
  /** Returns whether a grant was revoked or is unknown. */
  isRevoked(originJti: string): boolean;
};

/**
 * Opens the stored grants with their refresh tokens. `graceMs` returns the grace period of the rotation in
 * milliseconds.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-refresh-token.html
 */
export function openGrants(
  store: Store,
  { clock, graceMs }: { clock: Clock; graceMs: () => number },
): Grants {
  const section = store.section({ name: 'grants', schema, initial: () => ({}) });
  return {
    open: (granted) => openGrant(section, granted, clock()),
    redeem: (refreshToken, clientId, rotate) =>
      redeem(section, { refreshToken, clientId, rotate, now: clock(), graceMs: graceMs() }),
    revokeToken(refreshToken, clientId) {
      const stored = findByToken(section.value, refreshToken, clientId);
      if (stored) revoke(section, stored.originJti);
    },
    revoke: (originJti) => revoke(section, originJti),
    revokeUser(sub) {
      for (const stored of Object.values(section.value)) {
        if (stored.sub === sub) revoke(section, stored.originJti);
      }
    },
    find: (originJti) => section.value[originJti],
    isRevoked: (originJti) => section.value[originJti]?.revoked !== false,
  };
}

function openGrant(
  section: Section<StoredGrants>,
  granted: Omit<Grant, 'originJti'>,
  now: number,
): ReturnType<Grants['open']> {
  const grant = { originJti: randomUUID(), ...granted };
  const refreshToken = generateRefreshToken();
  section.change((grants) => {
    deleteExpired(grants, now);
    grants[grant.originJti] = toStoredGrant(grant, refreshToken, now);
  });
  return { grant, refreshToken };
}

type Redemption = { refreshToken: string; clientId: string; rotate: boolean; now: number; graceMs: number };

function redeem(
  section: Section<StoredGrants>,
  { refreshToken, clientId, rotate, now, graceMs }: Redemption,
): ReturnType<Grants['redeem']> {
  const stored = findByToken(section.value, refreshToken, clientId);
  if (!stored) throw new RefreshTokenError('unknown');
  const problem = findProblem(stored, refreshToken, now, graceMs);
  if (problem !== null) throw new RefreshTokenError(problem);
  if (!rotate) return { grant: stored, refreshToken: null };
  const next = generateRefreshToken();
  section.change(() => replaceToken(stored, hashSecret(refreshToken), hashSecret(next), now));
  return { grant: stored, refreshToken: next };
}

function revoke(section: Section<StoredGrants>, originJti: string): void {
  section.change((grants) => {
    const stored = grants[originJti];
    if (stored) stored.revoked = true;
  });
}

function findByToken(grants: StoredGrants, refreshToken: string, clientId: string): StoredGrant | undefined {
  const hash = hashSecret(refreshToken);
  return Object.values(grants).find(
    (stored) => stored.clientId === clientId && stored.tokens.some((token) => token.hash === hash),
  );
}

function toStoredGrant(grant: Grant, refreshToken: string, now: number): StoredGrant {
  return {
    ...grant,
    expiresAt: now + REFRESH_TOKEN_LIFETIME_MS,
    revoked: false,
    tokens: [{ hash: hashSecret(refreshToken), replacedAt: null }],
  };
}

/** Returns why a token of a grant is not valid, or null for a valid token. */
function findProblem(
  stored: StoredGrant,
  refreshToken: string,
  now: number,
  graceMs: number,
): 'revoked' | 'expired' | 'reused' | null {
  if (stored.revoked) return 'revoked';
  if (stored.expiresAt <= now) return 'expired';
  const hash = hashSecret(refreshToken);
  const replacedAt = stored.tokens.find((token) => token.hash === hash)?.replacedAt ?? null;
  return replacedAt !== null && now - replacedAt >= graceMs ? 'reused' : null;
}

function replaceToken(stored: StoredGrant, hash: string, nextHash: string, now: number): void {
  for (const token of stored.tokens) {
    // A second use within the grace period does not extend it.
    if (token.hash === hash) token.replacedAt ??= now;
  }
  stored.tokens = [{ hash: nextHash, replacedAt: null }, ...stored.tokens].slice(0, MAX_STORED_TOKENS);
}

function deleteExpired(grants: StoredGrants, now: number): void {
  for (const [originJti, stored] of Object.entries(grants)) {
    if (stored.expiresAt <= now) delete grants[originJti];
  }
}

/**
 * Returns an opaque token with the form and size of Cognito's, about 1.75 kB. The form is a JWE in compact
 * serialization (RFC 7516 section 7.1): header, encrypted key, initialization vector, ciphertext, authentication
 * tag.
 */
function generateRefreshToken(): string {
  const header = Buffer.from('{"cty":"JWT","enc":"A256GCM","alg":"RSA-OAEP"}');
  const parts = [header, randomBytes(256), randomBytes(12), randomBytes(974), randomBytes(16)];
  return parts.map((part) => part.toString('base64url')).join('.');
}
