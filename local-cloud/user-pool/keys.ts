import { randomBytes } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import type { Store } from '../storage/store.ts';

export type SigningKey = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey };

/** Cognito signs ID and access tokens with a key each. */
export type Keys = {
  id: SigningKey;
  access: SigningKey;
  /** The JSON Web Key Set that everybody may read (RFC 7517 section 5). */
  jwks: { keys: PublicJwk[] };
};

type PublicJwk = { alg: 'RS256'; e: string; kid: string; kty: 'RSA'; n: string; use: 'sig' };

const privateJwk = z.object({
  kty: z.literal('RSA'),
  kid: z.string(),
  n: z.string(),
  e: z.string(),
  d: z.string(),
  p: z.string(),
  q: z.string(),
  dp: z.string(),
  dq: z.string(),
  qi: z.string(),
});
type PrivateJwk = z.infer<typeof privateJwk>;

/**
 * The two RSA-2048 keys of the user pool: made on first start, then read back, so that tokens and cached key sets
 * outlive a restart.
 */
export async function openKeys(store: Store): Promise<Keys> {
  const section = store.section({
    name: 'keys',
    schema: z.object({ id: privateJwk.optional(), access: privateJwk.optional() }),
    initial: () => ({}),
    outlivesReset: true,
  });
  const { id = await generateKey(), access = await generateKey() } = section.value;
  section.change((kept) => Object.assign(kept, { id, access }));
  return {
    id: await importKey(id),
    access: await importKey(access),
    jwks: { keys: [publicPart(id), publicPart(access)] },
  };
}

async function generateKey(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  return privateJwk.parse({ ...(await exportJWK(privateKey)), kid: randomBytes(32).toString('base64') });
}

async function importKey(jwk: PrivateJwk): Promise<SigningKey> {
  return {
    kid: jwk.kid,
    privateKey: await importRsa(jwk),
    publicKey: await importRsa(publicPart(jwk)),
  };
}

async function importRsa(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'RS256');
  if (key instanceof Uint8Array) throw new TypeError('An RSA key was expected.');
  return key;
}

function publicPart({ e, kid, kty, n }: PrivateJwk): PublicJwk {
  return { alg: 'RS256', e, kid, kty, n, use: 'sig' };
}
