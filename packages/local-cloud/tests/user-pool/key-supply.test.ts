import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startLocalCloud } from '../../start.ts';
import { createKeySupply } from '../../user-pool/key-supply.ts';

const folder = mkdtempSync(join(tmpdir(), 'local-cloud-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const numbers = { kty: 'RSA', e: '', d: '', p: '', q: '', dp: '', dq: '', qi: '' } as const;

/** The moduli of the keys that a local cloud publishes. */
async function publishedKeys(dataDir: string | null): Promise<string[]> {
  const cloud = await startLocalCloud({ dataDir });
  try {
    const response = await fetch(`${cloud.environment().COGNITO_ISSUER}/.well-known/jwks.json`);
    const { keys } = await response.json();
    return keys.map(({ n }: { n: string }) => n);
  } finally {
    await cloud.close();
  }
}

describe('the supply of keys', () => {
  test('gives a process each key once, and later processes the same keys', async () => {
    const file = join(folder, 'keys.json');
    let count = 0;
    const generate = async () => ({ ...numbers, n: `modulus ${++count}` });
    const take = createKeySupply(file, generate);
    expect([(await take()).n, (await take()).n]).toEqual(['modulus 1', 'modulus 2']);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const takeLater = createKeySupply(file, generate);
    const later = [(await takeLater()).n, (await takeLater()).n];
    expect(later.sort()).toEqual(['modulus 1', 'modulus 2']);
    expect((await takeLater()).n).toBe('modulus 3');
  });

  test('is not used by a local cloud with a data folder', async () => {
    const kept = await publishedKeys(join(folder, 'data'));
    expect(await publishedKeys(join(folder, 'data'))).toEqual(kept);
    expect(new Set([...kept, ...(await publishedKeys(null)), ...(await publishedKeys(null))]).size).toBe(6);
  });
});
