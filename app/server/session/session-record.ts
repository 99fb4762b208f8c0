/** What the session cookie holds, as bytes, and what its times mean. Pure. */
import { z } from 'zod';
import type { Tokens, User } from '../user-pool/tokens.ts';
import { packTexts, unpackTexts } from './token-packing.ts';

/** A session as it is sealed. Times are in milliseconds. */
export type SessionRecord = {
  id: string;
  startedAt: number;
  /** When the idle time last began anew. */
  renewedAt: number;
  /** How often the tokens were refreshed: of two records of one session, the higher one is the newer. */
  generation: number;
  /** When the first of the tokens expires, by the user pool's clock. */
  tokensExpireAt: number;
  tokens: Tokens;
  user: User;
};

/** What a session cookie says: a session, or that there was one and it is over. */
export type SessionCookie = { kind: 'session'; record: SessionRecord } | { kind: 'ended' };

/** In seconds, as in `Env`. */
export type SessionLimits = { maxAge: number; maxIdle: number };

/** A call that starts with a token of this age left is answered before it expires. */
const REFRESH_AHEAD_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;

const sealedFields = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ended') }),
  z.object({
    kind: z.literal('session'),
    id: z.string(),
    startedAt: z.number(),
    renewedAt: z.number(),
    generation: z.number(),
    tokensExpireAt: z.number(),
    clockDrift: z.number(),
    deviceKey: z.string().nullable(),
    user: z.object({ sub: z.string(), email: z.string().nullable(), name: z.string().nullable() }),
  }),
]);

/** The bytes to seal: the fields as JSON, then the three tokens. */
export function encodeSessionCookie(cookie: SessionCookie): Uint8Array {
  if (cookie.kind === 'ended') return packTexts([JSON.stringify(cookie)]);
  const { tokens, ...fields } = cookie.record;
  const { accessToken, idToken, refreshToken, clockDrift, deviceKey } = tokens;
  const json = JSON.stringify({ kind: cookie.kind, ...fields, clockDrift, deviceKey });
  return packTexts([json, accessToken, idToken, refreshToken]);
}

/** What `encodeSessionCookie` was given; null for bytes of another version of the site. */
export function decodeSessionCookie(bytes: Uint8Array): SessionCookie | null {
  const [json, accessToken, idToken = null, refreshToken = null] = unpackTexts(bytes) ?? [];
  const fields = sealedFields.safeParse(parseJson(json)).data;
  if (!fields) return null;
  if (fields.kind === 'ended') return fields;
  if (!accessToken) return null;
  const { kind, clockDrift, deviceKey, ...rest } = fields;
  return { kind, record: { ...rest, tokens: { accessToken, idToken, refreshToken, deviceKey, clockDrift } } };
}

/** Whether a token expires within five seconds, by the user pool's clock. */
export function isRefreshDue(
  { tokensExpireAt, tokens }: Pick<SessionRecord, 'tokensExpireAt' | 'tokens'>,
  now: number,
): boolean {
  return now + tokens.clockDrift + REFRESH_AHEAD_MS > tokensExpireAt;
}

/** Whether a token has expired, by the user pool's clock. */
export function hasExpiredToken(
  { tokensExpireAt, tokens }: Pick<SessionRecord, 'tokensExpireAt' | 'tokens'>,
  now: number,
): boolean {
  return now + tokens.clockDrift >= tokensExpireAt;
}

/** When the session is over unless it is renewed, and at the latest: the earlier of the two, in milliseconds. */
export function sessionEnd(
  { startedAt, renewedAt }: Pick<SessionRecord, 'startedAt' | 'renewedAt'>,
  { maxAge, maxIdle }: SessionLimits,
): number {
  return Math.min(startedAt + maxAge * 1000, renewedAt + maxIdle * 1000);
}

/** Whether to note that the visitor was here: once a day, or ten times in a shorter idle time, not at each request. */
export function isRenewalDue(
  { renewedAt }: Pick<SessionRecord, 'renewedAt'>,
  { maxIdle }: Pick<SessionLimits, 'maxIdle'>,
  now: number,
): boolean {
  return now - renewedAt >= Math.min(DAY_MS, maxIdle * 100);
}

function parseJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
}
