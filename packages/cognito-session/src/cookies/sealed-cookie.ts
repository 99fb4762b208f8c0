/**
 * Sealed cookie values: encrypted and authenticated, so that the browser cannot read, change or exchange them. The format
 * is JWE compact serialization with direct encryption by A256GCM (RFC 7516 section 7.1, RFC 7518 sections 4.5 and 5.3).
 */
import { hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { SessionSettings } from '../settings.ts';

/** Returns the cookie's name. The prefix `__Host-` binds it to this host and to https (RFC 6265bis section 4.1.3.2). */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base;
}

/** `expired`: sealed by this site, but past its expiry. `unreadable`: anything else. `expiresAt` is in milliseconds. */
type Unsealed = { state: 'open' | 'expired'; body: Uint8Array; expiresAt: number } | { state: 'unreadable' };

export type CookieSealer = {
  /** Returns a value of cookie octets that expires at `expiresAt` (milliseconds). */
  seal(body: Uint8Array, expiresAt: number): Promise<string>;
  /** Returns the content of a sealed value. Never rejects. `now` is in milliseconds. */
  open(value: string, now: number): Promise<Unsealed>;
};

/** What the keys are derived from. */
export type SealingSettings = Pick<SessionSettings, 'secrets' | 'namespace'>;

type SealingKey = { id: string; key: Uint8Array };

const KEY_MANAGEMENT = 'dir';
const CONTENT_ENCRYPTION = 'A256GCM';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 6;
/** The plaintext is the expiry, as 48 bits of milliseconds, followed by the body. */
const EXPIRY_BYTES = 6;

/** How the header of every sealed value begins. */
const SEALED_START = Buffer.from(`{"alg":"${KEY_MANAGEMENT}"`).toString('base64url');

/** Whether a value begins as sealed ones do, whatever its key is. */
export function looksSealed(value: string): boolean {
  return value.startsWith(SEALED_START);
}

/**
 * Creates a sealer for the cookie `name`. The keys depend on the name, so a value does not open under another name. The
 * first of `secrets` seals and all of them open, so that secrets can be rotated without signing visitors out.
 */
export function createCookieSealer({ secrets, namespace }: SealingSettings, name: string): CookieSealer {
  const keyOf = (secret: string) => deriveKey(secret, namespace, name);
  const sealing = keyOf(secrets[0]);
  const keys = new Map(secrets.map(keyOf).map(({ id, key }) => [id, key]));

  return {
    async seal(body, expiresAt) {
      const plaintext = Buffer.alloc(EXPIRY_BYTES + body.length);
      plaintext.writeUIntBE(Math.floor(expiresAt), 0, EXPIRY_BYTES);
      plaintext.set(body, EXPIRY_BYTES);
      return new CompactEncrypt(plaintext)
        .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: CONTENT_ENCRYPTION, kid: sealing.id })
        .encrypt(sealing.key);
    },

    async open(value, now) {
      const plaintext = await decrypt(value, keys);
      if (!plaintext || plaintext.length < EXPIRY_BYTES) return { state: 'unreadable' };
      const expiresAt = plaintext.readUIntBE(0, EXPIRY_BYTES);
      return {
        state: now < expiresAt ? 'open' : 'expired',
        body: plaintext.subarray(EXPIRY_BYTES),
        expiresAt,
      };
    },
  };
}

/** HKDF with SHA-256 (RFC 5869). The id identifies the secret without revealing it. */
function deriveKey(secret: string, namespace: string, name: string): SealingKey {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `${namespace} ${info} ${name}`, length));
  return {
    id: derive('cookie key id', KEY_ID_BYTES).toString('base64url'),
    key: derive('cookie key', KEY_BYTES),
  };
}

async function decrypt(value: string, keys: ReadonlyMap<string, Uint8Array>): Promise<Buffer | null> {
  if (!isCanonical(value)) return null;
  try {
    const { plaintext } = await compactDecrypt(
      value,
      ({ kid }) => {
        const key = keys.get(kid ?? '');
        if (!key) throw new RangeError('unknown key id');
        return key;
      },
      { keyManagementAlgorithms: [KEY_MANAGEMENT], contentEncryptionAlgorithms: [CONTENT_ENCRYPTION] },
    );
    return Buffer.from(plaintext);
  } catch {
    return null;
  }
}

/** The parts of the compact serialization (RFC 7516 section 7.1). */
const SEGMENTS = 5;

/**
 * Decoders ignore the spare bits in the last character of a base64url segment. A changed bit must not go unnoticed. Any
 * client may send thousands of segments, so they are counted first.
 */
function isCanonical(value: string): boolean {
  const segments = value.split('.', SEGMENTS + 1);
  return (
    segments.length === SEGMENTS &&
    segments.every((segment) => Buffer.from(segment, 'base64url').toString('base64url') === segment)
  );
}
