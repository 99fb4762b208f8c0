/**
 * Cookie values that the browser keeps and cannot read, change, or use in place of another: JWE compact serialization
 * with direct encryption, A256GCM (RFC 7516 section 7.1, RFC 7518 sections 4.5 and 5.3). Pure: the secrets and the
 * time are handed in.
 */
import { hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** `__Host-` pins a cookie to this host, https and the whole site (RFC 6265bis section 4.1.3.2). */
export function cookieName(base: string, secure: boolean): string {
  return secure ? `__Host-${base}` : base;
}

/** What a sealed value turned out to be. `expired` is genuine but out of time; `unreadable` may be anything. */
export type Unsealed =
  | { state: 'open' | 'expired'; body: Uint8Array; expiresAt: number }
  | { state: 'unreadable' };

export type CookieSealer = {
  /** The value for `body`, made of cookie octets only, good until `expiresAt` (milliseconds). */
  seal(body: Uint8Array, expiresAt: number): Promise<string>;
  /** Never throws, whatever `value` is. `now` is in milliseconds. */
  open(value: string, now: number): Promise<Unsealed>;
};

type SealingKey = { id: string; key: Uint8Array };

const KEY_MANAGEMENT = 'dir';
const CONTENT_ENCRYPTION = 'A256GCM';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 6;
/** The body comes after its expiry, which is a 48-bit count of milliseconds. */
const EXPIRY_BYTES = 6;

/**
 * A sealer for the cookie `name`. The name goes into the keys, so a value never opens under another cookie's name.
 * The first of `secrets` seals, all of them open, which is how they are changed without signing anybody out.
 */
export function createCookieSealer(secrets: readonly [string, ...string[]], name: string): CookieSealer {
  const sealing = deriveKey(secrets[0], name);
  const keys = new Map(secrets.map((secret) => deriveKey(secret, name)).map(({ id, key }) => [id, key]));

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

/** HKDF with SHA-256 (RFC 5869). The id tells the secrets apart and says nothing about them. */
function deriveKey(secret: string, name: string): SealingKey {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', `tenfold ${info} ${name}`, length));
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
        if (!key) throw new RangeError('sealed with a key that is not ours');
        return key;
      },
      { keyManagementAlgorithms: [KEY_MANAGEMENT], contentEncryptionAlgorithms: [CONTENT_ENCRYPTION] },
    );
    return Buffer.from(plaintext);
  } catch {
    return null;
  }
}

/** The last character of a base64url segment has spare bits that decoders ignore; here every bit counts. */
function isCanonical(value: string): boolean {
  return value
    .split('.')
    .every((segment) => Buffer.from(segment, 'base64url').toString('base64url') === segment);
}
