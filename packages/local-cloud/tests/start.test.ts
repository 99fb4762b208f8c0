import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { startLocalCloud } from '../../../tests/support/local-cloud.ts';
import { createHostedLoginVisitor } from '../../../tests/support/sign-in/hosted-login.ts';
import { createOAuthClient, SITE_ORIGIN } from '../../../tests/support/sign-in/oauth-client.ts';
import { settlesWithin } from '../../../tests/support/timing/settles-within.ts';
import { text } from '../src/http/exchange.ts';
import { listen } from '../src/http/server.ts';
import { createMessage, listMessages, signUpMember, tokenSender } from './support/graphql-requests.ts';
import { createInfra } from './support/infra.ts';
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

test('responds to a request that has come while it started', async () => {
  const server = await listen(0);
  const response = fetch(server.origin);
  await delay(100);
  server.serve(
    async () => text(200, 'ready'),
    () => {},
    Date.now,
  );
  try {
    expect(await (await settlesWithin(5000, response)).text()).toBe('ready');
  } finally {
    await server.close();
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

  test('contains users, grants, messages and keys after a restart', async () => {
    const dataDir = await createDataFolder();
    const first = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    const { accessToken, refreshToken } = await signUpAtClient(first);
    const message = await createMessage(tokenSender(first, accessToken), 'Still here');
    const environment = first.environment();
    await first.close();

    const second = await startLocalCloud({ siteOrigins: [SITE_ORIGIN], dataDir });
    try {
      const expected = JSON.stringify(environment).replaceAll(first.origin, second.origin);
      expect(second.environment()).toEqual(JSON.parse(expected));
      expect(second.emails).toHaveLength(1);
      const again = createOAuthClient(second);
      expect((await again.refresh(refreshToken)).status).toBe(200);
      const callback = await createHostedLoginVisitor(second).signIn(again.authorizeUrl(), ann);
      const { access_token = '' } = (await again.redeem(callback)).body;
      expect((await listMessages(tokenSender(second, access_token))).items).toEqual([message]);
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

  test('can be used after a start that failed because of a resolver', async () => {
    const dataDir = await createDataFolder();
    const resolvers = { 'Query.test.js': "export function request() {\n  return util.xml.toMap('');\n}\n" };
    await expect(startLocalCloud({ dataDir, infra: createInfra({ resolvers }) })).rejects.toThrow(
      /^The local cloud does not support this:\n.*Query\.test\.js:2: util\.xml\.toMap$/,
    );
    await expect(startLocalCloud({ dataDir, infra: createInfra({ resolvers: {} }) })).rejects.toThrow(
      'Query.test of the schema has no resolver in the template.',
    );
    const cloud = await startLocalCloud({ dataDir });
    await signUpMember({ cloud, now: Date.now() });
    await cloud.close();
  });

  test('that is not valid stops the start with an error that says what to do', async () => {
    const dataDir = await createDataFolder();
    await (await startLocalCloud({ dataDir })).close();
    await writeFile(join(dataDir, 'state.json'), '{"users":');
    await expect(startLocalCloud({ dataDir })).rejects.toThrow(/Delete it to start with empty state/);
    await writeFile(join(dataDir, 'state.json'), '{"users":[]}');
    await expect(startLocalCloud({ dataDir })).rejects.toThrow(/Delete it to start with empty state/);
    // Longer than a write is delayed.
    await delay(200);
    expect(await readFile(join(dataDir, 'state.json'), 'utf8')).toBe('{"users":[]}');
  });
});

test('seeds the table, and replaces an item that exists', async () => {
  const cloud = await startLocalCloud();
  const seed = (text: string) => {
    const id = { S: '01M7YRRT800000000000000000' };
    const Item = {
      feed: { S: 'messages' },
      id,
      content: { S: text },
      createdAt: { S: '2026-11-21T10:00:00.000Z' },
      author: { S: 'ann' },
    };
    return cloud.seed([{ PutRequest: { Item } }]);
  };
  for (const text of ['first', 'second']) await seed(text);
  const { send } = await signUpMember({ cloud, now: Date.now() });
  expect((await listMessages(send)).items).toMatchObject([{ content: 'second', mine: false }]);
  await cloud.close();
});
