import { createHash, randomInt } from 'node:crypto';

const LOWER_CASE_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns `length` random characters of `alphabet`, each chosen independently and uniformly. */
export function randomText(length: number, alphabet = LOWER_CASE_AND_DIGITS): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** Returns the SHA-256 hash of a secret in base64url. Refresh tokens, session ids and codes are stored in this form. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
