import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** The password policy limits only the length, as that of the user pool in `infra/template.yaml`. */
export const MIN_PASSWORD_LENGTH = 12;
/** Cognito's limit. It also limits the input of scrypt. */
export const MAX_PASSWORD_LENGTH = 256;

const KEY_BYTES = 32;
const COST: ScryptOptions = { N: 16_384, r: 8, p: 1 };

/** Returns the salt and the scrypt key (RFC 7914) of a password, both in base64url and separated by `$`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await deriveKey(password, salt);
  return `${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/**
 * Returns whether a password belongs to a hash of `hashPassword`. With `null`, for an unknown user, it returns
 * false after the same time, so that the time does not reveal who has an account.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [salt = '', expected = ''] = hash?.split('$') ?? [];
  const key = await deriveKey(password, Buffer.from(salt, 'base64url'));
  const expectedKey = Buffer.from(expected, 'base64url');
  return expectedKey.length === key.length && timingSafeEqual(expectedKey, key);
}

function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  // Two keyboards can produce different code points for the same characters.
  const normalized = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(normalized, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
