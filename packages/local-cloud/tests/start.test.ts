import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { createHostedLoginVisitor } from '../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../tests/support/sign-in/oauth-client.ts';
import { startLocalCloud } from '../start.ts';
import { ann, signUpAtClient } from './support/signed-up-client.ts';

test('refuses connections after disconnect, and has the same state after reconnect', async () => {
  const cloud = await startLocalCloud({ siteOrigins: [SITE_ORIGIN] });
  const fetchJwks = () => fetch(`${cloud.environment().COGNITO_ISSUER}/.well-known/jwks.json`);
  try {
    const before = await (await fetchJwks()).json();
    await cloud.disconnect();
    await expect(fetchJwks()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await cloud.reconnect();
    expect(await (await fetchJwks()).json()).toEqual(before);
  } finally {
    await cloud.close();
  }
});

describe('stored state', () => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  async function createDataFolder(): Promise<string> {
    const folder = join(await mkdtemp(join(tmpdir(), 'local-cloud-')), 'data');
    folders.push(join(folder, '..'));
    return folder;
  }

  test('contains users, grants, sessions and keys after a restart', async () => {
    const dataDir = await createDataFolder();
    const first = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    const { refreshToken } = await signUpAtClient(first);
    const environment = first.environment();
    await first.close();

    const second = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    try {
      const expected = JSON.stringify(environment).replaceAll(first.origin, second.origin);
      expect(second.environment()).toEqual(JSON.parse(expected));
      expect(second.emails).toHaveLength(1);
      const again = createOAuthClient(second);
      expect((await again.refresh(refreshToken)).status).toBe(200);
      await createHostedLoginVisitor(second).signIn(again.authorizeUrl(), ann);
    } finally {
      await second.close();
    }
  });

  test('is readable only by its owner and contains no password, code or token', async () => {
    const dataDir = await createDataFolder();
    const persistent = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    const { refreshToken } = await signUpAtClient(persistent);
    await persistent.close();
    const file = join(dataDir, 'state.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { outbox, ...rest } = JSON.parse(await readFile(file, 'utf8'));
    expect(outbox).toHaveLength(1);
    const state = JSON.stringify(rest);
    for (const secret of [ann.password, outbox[0].code, refreshToken]) expect(state).not.toContain(secret);
  });

  test('that is not valid stops the start with an error that says what to do', async () => {
    const dataDir = await createDataFolder();
    await (await startLocalCloud({ dataDir })).close();
    await writeFile(join(dataDir, 'state.json'), '{"users":');
    await expect(startLocalCloud({ dataDir })).rejects.toThrow(/Delete it to start with empty state/);
    await writeFile(join(dataDir, 'state.json'), '{"users":[]}');
    await expect(startLocalCloud({ dataDir })).rejects.toThrow(/"users"/);
    // Longer than a write is delayed.
    await delay(200);
    expect(await readFile(join(dataDir, 'state.json'), 'utf8')).toBe('{"users":[]}');
  });
});
