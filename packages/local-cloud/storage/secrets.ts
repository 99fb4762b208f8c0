import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

const LOWER_CASE_AND_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Returns `length` random characters of `alphabet`, each chosen independently and uniformly. */
export function randomText(length: number, alphabet = LOWER_CASE_AND_DIGITS): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** Returns the SHA-256 hash of a secret in base64url. Refresh tokens, session ids and codes are stored in this form. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/**
 * Returns whether two strings are equal. The time it takes depends neither on their contents nor on where they
 * differ.
 */
export function equalInConstantTime(left: string, right: string): boolean {
  // `timingSafeEqual` requires inputs of equal length, which hashes have.
  return timingSafeEqual(Buffer.from(hashSecret(left)), Buffer.from(hashSecret(right)));
}
