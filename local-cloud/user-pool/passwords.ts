import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** The user pool's password policy: a length, and nothing else. */
export const MIN_PASSWORD_LENGTH = 8;
/** Cognito's own bound; it also keeps scrypt's input small. */
export const MAX_PASSWORD_LENGTH = 256;

const KEY_BYTES = 32;
const COST: ScryptOptions = { N: 16_384, r: 8, p: 1 };

/** What is kept of a password: salt and scrypt key (RFC 7914), both base64url, with a `$` between them. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt);
  return `${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/**
 * Whether a password is the one that was hashed. With `null` (there is no such user) it takes as long and answers
 * false, so that the time does not tell who has an account.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [salt = '', expected = ''] = hash?.split('$') ?? [];
  const key = await deriveKey(password, Buffer.from(salt, 'base64url'));
  const kept = Buffer.from(expected, 'base64url');
  return kept.length === key.length && timingSafeEqual(kept, key);
}

function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  // The same text typed on two keyboards may differ in code points.
  const normalized = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(normalized, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
