import { hash } from 'node:crypto';

/** A short identifier of a session for the log: 72 bits of the SHA-256 of its id. The id itself is never logged. */
export function sessionHash(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 12);
}
