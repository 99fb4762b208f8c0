/**
 * RSA keys for user pools whose state is in memory only. Generating a key takes up to a second, and a run of the tests
 * starts hundreds of local clouds, so the keys are kept on disk for later processes.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';

const FILE = 'node_modules/.cache/local-cloud/keys.json';
const MAX_KEYS = 64;

/** A private RSA key as a JSON Web Key (RFC 7518 section 6.3). */
export const rsaKey = z.object({
  kty: z.literal('RSA'),
  n: z.string(),
  e: z.string(),
  d: z.string(),
  p: z.string(),
  q: z.string(),
  dp: z.string(),
  dq: z.string(),
  qi: z.string(),
});
export type RsaKey = z.infer<typeof rsaKey>;

/** Returns a new RSA-2048 key. */
export async function generateKey(): Promise<RsaKey> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
  return rsaKey.parse(await exportJWK(privateKey));
}

/** Returns a function that takes a key from `file`, or generates one and adds it. It returns each key only once. */
export function createKeySupply(file: string, generate = generateKey): () => Promise<RsaKey> {
  let unused: RsaKey[] | null = null;
  return async () => {
    // In random order, so that concurrent processes rarely have the same keys.
    unused ??= readKeys(file).sort(() => Math.random() - 0.5);
    const key = unused.pop();
    if (key) return key;
    const generated = await generate();
    writeKeys(file, [...readKeys(file), generated].slice(-MAX_KEYS));
    return generated;
  };
}

/** Returns a key that no other user pool of this process has. */
export const takeKey = createKeySupply(FILE);

function readKeys(file: string): RsaKey[] {
  try {
    return z.array(rsaKey).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // There is no such file yet, or it is from another version.
    return [];
  }
}

/** Replaces the file in one step, because other processes read it at any time. */
function writeKeys(file: string, keys: readonly RsaKey[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(keys), { mode: 0o600 });
  renameSync(temporary, file);
}
