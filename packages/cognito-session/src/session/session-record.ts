/** The content of the session cookie, its encoding as bytes, and the rules for its times. */

import { z } from 'zod';
import { parseJson } from '#upstream';
import type { Tokens, User } from '../user-pool/tokens.ts';
import { type BrowserFamilies, familiesSchema } from './browser-family.ts';
import { packTexts, unpackTexts } from './token-packing.ts';

/** A session. All times are in milliseconds. */
export type SessionRecord = {
  id: string;
  startedAt: number;
  /** When the idle time last started. */
  renewedAt: number;
  /** When the user pool last issued tokens, by this machine's clock. */
  refreshedAt: number;
  /** The number of refreshes. Of two records of one session, the one with the higher generation is newer. */
  generation: number;
  /** When the first token expires, by the user pool's clock. */
  tokensExpireAt: number;
  tokens: Tokens;
  user: User;
  /** Of the browser that signed in. Cookies of earlier versions lack them. */
  families?: BrowserFamilies | undefined;
};

/** A session with a refresh token. Some app clients get none. */
export type RefreshableRecord = SessionRecord & { tokens: { refreshToken: string } };

/** The content of a session cookie: a session, or the fact that there was one that has ended. */
export type SessionCookieContent = { kind: 'session'; record: SessionRecord } | { kind: 'ended' };

/** In seconds, as in `Env`. */
export type SessionLimits = { maxAge: number; maxIdle: number };

/** Seconds after which valid tokens are refreshed too, as in `Env`; null: tokens are refreshed when they expire. */
export type RecheckLimit = { recheckAfter: number | null };

/** A request that starts with this much time left completes before the token expires. */
const REFRESH_AHEAD_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;

const sealedFields = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ended') }),
  z.object({
    kind: z.literal('session'),
    id: z.string(),
    startedAt: z.number(),
    renewedAt: z.number(),
    // Cookies of earlier versions lack it.
    refreshedAt: z.number().optional(),
    generation: z.number(),
    tokensExpireAt: z.number(),
    clockDrift: z.number(),
    deviceKey: z.string().nullable(),
    user: z.object({
      sub: z.string(),
      email: z.string().nullable(),
      name: z.string().nullable(),
      groups: z.array(z.string()).optional(),
    }),
    families: familiesSchema.optional(),
  }),
]);

/** Returns the bytes to seal: the fields as JSON, then the three tokens. Groups that the access token names too are left out. */
export function encodeSessionCookie(cookie: SessionCookieContent): Uint8Array {
  if (cookie.kind === 'ended') return packTexts([JSON.stringify(cookie)]);
  const { tokens, user, ...fields } = cookie.record;
  const named = groupsIn(tokens.accessToken);
  const isNamed = user.groups.length === named.length && user.groups.every((group) => named.includes(group));
  const { accessToken, idToken, refreshToken, clockDrift, deviceKey } = tokens;
  const json = JSON.stringify({
    ...{ kind: cookie.kind, ...fields, clockDrift, deviceKey },
    user: isNamed ? { ...user, groups: undefined } : user,
  });
  return packTexts([json, accessToken, idToken, refreshToken]);
}

/** Returns what `encodeSessionCookie` was called with, or null for bytes in another format. */
export function decodeSessionCookie(bytes: Uint8Array): SessionCookieContent | null {
  const [json, accessToken, idToken = null, refreshToken = null] = unpackTexts(bytes) ?? [];
  const fields = sealedFields.safeParse(parseJson(json ?? '')).data;
  if (!fields) return null;
  if (fields.kind === 'ended') return fields;
  if (!accessToken) return null;
  const { kind, clockDrift, deviceKey, refreshedAt = fields.startedAt, user, ...rest } = fields;
  const groups = user.groups ?? groupsIn(accessToken);
  const tokens = { accessToken, idToken, refreshToken, deviceKey, clockDrift };
  return { kind, record: { ...rest, refreshedAt, tokens, user: { ...user, groups } } };
}

const groupClaims = z.object({ 'cognito:groups': z.array(z.string()).default([]) });

/** The groups that an access token names. The token was verified before it was sealed. */
function groupsIn(accessToken: string): readonly string[] {
  const [, payload = ''] = accessToken.split('.');
  const claims = groupClaims.safeParse(parseJson(Buffer.from(payload, 'base64url').toString()));
  return claims.data?.['cognito:groups'] ?? [];
}

/** Returns whether the session has a refresh token. */
export function isRefreshable(record: SessionRecord): record is RefreshableRecord {
  return record.tokens.refreshToken !== null;
}

/** Returns whether a token expires within five seconds, by the user pool's clock, or has to be checked again. */
export function isRefreshDue(
  { tokensExpireAt, refreshedAt, tokens }: Pick<SessionRecord, 'tokensExpireAt' | 'refreshedAt' | 'tokens'>,
  { recheckAfter }: RecheckLimit,
  now: number,
): boolean {
  if (now + tokens.clockDrift + REFRESH_AHEAD_MS > tokensExpireAt) return true;
  return recheckAfter !== null && now - refreshedAt >= recheckAfter * 1000;
}

/** Returns whether a token has expired, by the user pool's clock. */
export function hasExpiredToken(
  { tokensExpireAt, tokens }: Pick<SessionRecord, 'tokensExpireAt' | 'tokens'>,
  now: number,
): boolean {
  return now + tokens.clockDrift >= tokensExpireAt;
}

/** Returns when the session ends (milliseconds): by its age, or by its idle time if that is earlier. */
export function sessionEnd(
  { startedAt, renewedAt }: Pick<SessionRecord, 'startedAt' | 'renewedAt'>,
  { maxAge, maxIdle }: SessionLimits,
): number {
  return Math.min(startedAt + maxAge * 1000, renewedAt + maxIdle * 1000);
}

/** Returns whether to restart the idle time: once a day, or ten times within an idle time of less than ten days. */
export function isRenewalDue(
  { renewedAt }: Pick<SessionRecord, 'renewedAt'>,
  { maxIdle }: Pick<SessionLimits, 'maxIdle'>,
  now: number,
): boolean {
  return now - renewedAt >= Math.min(DAY_MS, maxIdle * 100);
}
