import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '../http/exchange.ts';
import type { AccessKey } from '../sigv4/sigv4-verifier.ts';

/** Temporary credentials, and whose they are. */
export type IdentityKey = AccessKey & {
  accessKeyId: string;
  sessionToken: string;
  identityId: string;
  /** The user of the login that they were made with, or null for a guest's. */
  sub: string | null;
};

export type AccessKeys = {
  issue(identityId: string, sub: string | null): IdentityKey;
  /** The key with this id, expired or not, or undefined when there is none. */
  find(accessKeyId: string): IdentityKey | undefined;
};

/** A key that falls out is answered like one that never was; the site then fetches another. */
const MAX_KEYS = 20_000;
const KEY_ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** How session tokens of STS begin, and about how long those of an identity pool are. */
const SESSION_TOKEN_START = 'IQoJb3JpZ2luX2Vj';
const SESSION_TOKEN_OCTETS = 900;

/**
 * Issues access keys of the shape that AWS's Security Token Service gives them. They are kept in memory alone: after a
 * restart nobody knows them.
 */
export function createAccessKeys({ clock, seconds }: { clock: Clock; seconds: number }): AccessKeys {
  const keys = new Map<string, IdentityKey>();
  return {
    issue(identityId, sub) {
      const key: IdentityKey = {
        accessKeyId: `ASIA${randomText(KEY_ID_ALPHABET, 16)}`,
        secretAccessKey: randomBytes(30).toString('base64'),
        sessionToken: SESSION_TOKEN_START + randomBytes(SESSION_TOKEN_OCTETS).toString('base64'),
        // Whole seconds, as they go out.
        expiration: (Math.floor(clock() / 1000) + seconds) * 1000,
        identityId,
        sub,
      };
      keys.set(key.accessKeyId, key);
      const [oldest] = keys.keys();
      if (keys.size > MAX_KEYS && oldest !== undefined) keys.delete(oldest);
      return key;
    },
    find: (accessKeyId) => keys.get(accessKeyId),
  };
}

function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
