import { randomBytes } from 'node:crypto';
import { type CryptoKey, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import type { Store } from '../storage/store.ts';
import { type RsaKey, rsaKey } from './key-supply.ts';

export type SigningKey = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey };

/** The signing keys. Cognito signs ID tokens and access tokens with different keys. */
export type Keys = {
  id: SigningKey;
  access: SigningKey;
  /** The public keys as a JSON Web Key Set (RFC 7517 section 5). */
  jwks: { keys: PublicJwk[] };
};

type PublicJwk = { alg: 'RS256'; e: string; kid: string; kty: 'RSA'; n: string; use: 'sig' };

const privateJwk = rsaKey.extend({ kid: z.string() });
type PrivateJwk = z.infer<typeof privateJwk>;

/**
 * Returns the two RSA-2048 keys of the user pool. The first run gets them from `newKey`. Then they are kept, so that
 * tokens and cached key sets remain valid after a restart.
 */
export async function openKeys(store: Store, newKey: () => Promise<RsaKey>): Promise<Keys> {
  const section = store.section({
    name: 'keys',
    schema: z.object({ id: privateJwk.optional(), access: privateJwk.optional() }),
    initial: () => ({}),
    survivesReset: true,
  });
  const { id = withKeyId(await newKey()), access = withKeyId(await newKey()) } = section.value;
  section.change((stored) => Object.assign(stored, { id, access }));
  return {
    id: await importKey(id),
    access: await importKey(access),
    jwks: { keys: [publicPart(id), publicPart(access)] },
  };
}

function withKeyId(key: RsaKey): PrivateJwk {
  return { ...key, kid: randomBytes(32).toString('base64') };
}

/** Returns the key for signing and verifying. */
export async function importKey(jwk: PrivateJwk): Promise<SigningKey> {
  return {
    kid: jwk.kid,
    privateKey: await importRsa(jwk),
    publicKey: await importRsa(publicPart(jwk)),
  };
}

async function importRsa(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'RS256');
  if (key instanceof Uint8Array) throw new TypeError('The key is not an RSA key.');
  return key;
}

function publicPart({ e, kid, kty, n }: PrivateJwk): PublicJwk {
  return { alg: 'RS256', e, kid, kty, n, use: 'sig' };
}
