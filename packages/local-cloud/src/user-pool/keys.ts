import { randomBytes } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { LastingState, RsaKey } from '../storage/store.ts';

export type SigningKey = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey };

/** The signing keys. Cognito signs ID tokens and access tokens with different keys. */
export type Keys = {
  id: SigningKey;
  access: SigningKey;
  /** The public keys as a JSON Web Key Set (RFC 7517 section 5). */
  jwks: { keys: JWK[] };
};

/** Returns two new RSA-2048 keys. */
export async function generateKeys(): Promise<LastingState['keys']> {
  const [id, access] = await Promise.all([generateKey(), generateKey()]);
  return { id, access };
}

let keysOfProcess: Promise<LastingState['keys']> | undefined;

/** Returns the same two keys for every state in memory: a key takes up to a second, and tests start hundreds of clouds. */
export function sharedKeys(): Promise<LastingState['keys']> {
  keysOfProcess ??= generateKeys();
  return keysOfProcess;
}

/** Returns a new RSA-2048 key with a key id of Cognito's form. */
async function generateKey(): Promise<RsaKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  const { n = '', e = '', d = '', p = '', q = '', dp = '', dq = '', qi = '' } = await exportJWK(privateKey);
  return { kid: randomBytes(32).toString('base64'), kty: 'RSA', n, e, d, p, q, dp, dq, qi };
}

/** Prepares stored keys for use. */
export async function openKeys({ id, access }: LastingState['keys']): Promise<Keys> {
  return {
    id: await importKey(id),
    access: await importKey(access),
    jwks: { keys: [publicPart(id), publicPart(access)] },
  };
}

/** Returns the key for signing and verifying. */
async function importKey(jwk: RsaKey): Promise<SigningKey> {
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

function publicPart({ e, kid, kty, n }: RsaKey): JWK {
  return { alg: 'RS256', e, kid, kty, n, use: 'sig' };
}
