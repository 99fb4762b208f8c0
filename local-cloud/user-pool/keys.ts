import { randomBytes } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { z } from 'zod';
import type { Store } from '../storage/store.ts';

export type SigningKey = { kid: string; privateKey: CryptoKey; publicKey: CryptoKey };

/** The signing keys. Cognito signs ID tokens and access tokens with different keys. */
export type Keys = {
  id: SigningKey;
  access: SigningKey;
  /** The public keys as a JSON Web Key Set (RFC 7517 section 5). */
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
 * Returns the two RSA-2048 keys of the user pool. They are generated on the first run and then kept, so that
 * tokens and cached key sets remain valid after a restart.
 */
export async function openKeys(store: Store): Promise<Keys> {
  const section = store.section({
    name: 'keys',
    schema: z.object({ id: privateJwk.optional(), access: privateJwk.optional() }),
    initial: () => ({}),
    survivesReset: true,
  });
  const { id = await generateKey(), access = await generateKey() } = section.value;
  section.change((stored) => Object.assign(stored, { id, access }));
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
  if (key instanceof Uint8Array) throw new TypeError('The key is not an RSA key.');
  return key;
}

function publicPart({ e, kid, kty, n }: PrivateJwk): PublicJwk {
  return { alg: 'RS256', e, kid, kty, n, use: 'sig' };
}
