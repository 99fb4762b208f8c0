import { randomBytes } from 'node:crypto';
import type { Clock } from '../http/exchange.ts';
import type { AccessKey } from '../sigv4/sigv4-verifier.ts';
import { randomText } from '../storage/secrets.ts';

/** Temporary AWS credentials with the identity that they were issued to. */
type IdentityKey = AccessKey & {
  accessKeyId: string;
  sessionToken: string;
  identityId: string;
  /** The user, or null for the credentials of a guest. */
  sub: string | null;
};

export type AccessKeys = {
  /** Issues new credentials for an identity. */
  issue(identityId: string, sub: string | null): IdentityKey;
  /** Returns the key with this id, even after it has expired. */
  find(accessKeyId: string): IdentityKey | undefined;
};

/** The oldest keys are deleted beyond this number. Requests signed with a deleted key are rejected as unknown. */
const MAX_KEYS = 20_000;
const KEY_ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** The usual start and the approximate size of a session token of the AWS Security Token Service. */
const SESSION_TOKEN_START = 'IQoJb3JpZ2luX2Vj';
const SESSION_TOKEN_BYTES = 900;

/**
 * Creates the in-memory store of temporary access keys. The keys have the format that the AWS Security Token
 * Service uses. `seconds` is their lifetime. They are not valid after a restart.
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/API_Credentials.html
 */
export function createAccessKeys({ clock, seconds }: { clock: Clock; seconds: number }): AccessKeys {
  const keys = new Map<string, IdentityKey>();
  return {
    issue(identityId, sub) {
      const key: IdentityKey = {
        accessKeyId: `ASIA${randomText(16, KEY_ID_ALPHABET)}`,
        secretAccessKey: randomBytes(30).toString('base64'),
        sessionToken: SESSION_TOKEN_START + randomBytes(SESSION_TOKEN_BYTES).toString('base64'),
        // The API returns whole seconds.
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
