/** The round trip of a test member, by the real command against the local cloud. */
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../../tests/support/http/loopback-server.ts';
import { registerSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import type { LocalCloud } from '../../../local-cloud/start.ts';
import { ann, signUpAtClient } from '../../../local-cloud/tests/support/signed-up-client.ts';
import { runDoctor, startConfiguredCloud } from '../support/doctor-process.ts';
import { type SrpUserPool, startSrpUserPool } from '../support/srp-user-pool.ts';

/** Every test starts a process. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PASSWORD = 'correct horse battery staple of a test';

let cloud: LocalCloud;
let environment: Record<string, string>;
let tokens: Awaited<ReturnType<typeof signUpAtClient>>;
let userPool: SrpUserPool | undefined;
const servers: Server[] = [];

beforeAll(async () => {
  registerSecret('password of the test member', PASSWORD);
  ({ cloud, environment } = await startConfiguredCloud());
  tokens = await signUpAtClient(cloud);
});
afterEach(() => userPool?.close());
afterAll(async () => {
  await Promise.all(servers.map(closeServer));
  await cloud.close();
});

/** Runs the command with a test member, in a user pool with Secure Remote Password. */
async function diagnose(
  { password = PASSWORD, nextChallenge }: { password?: string; nextChallenge?: string } = {},
  changes: Record<string, string> = {},
) {
  const { AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: endpoint = '', COGNITO_USER_POOL_ID = '' } =
    environment;
  userPool = await startSrpUserPool({
    endpoint,
    poolName: COGNITO_USER_POOL_ID.split('_')[1] ?? '',
    user: { email: ann.email, password: PASSWORD, sub: String(decodeJwt(tokens.idToken).sub) },
    tokens,
    ...(nextChallenge === undefined ? {} : { nextChallenge }),
  });
  return runDoctor(
    {
      ...environment,
      AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: userPool.origin,
      DOCTOR_MEMBER_PASSWORD: password,
      ...changes,
    },
    ['--member', ann.email],
  );
}

/** A data API that answers the three operations of the round trip. */
async function startApi(replies: Record<string, unknown>): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const operation = Object.keys(replies).find((name) => body.includes(`${name}(`));
    const isMember = operation !== undefined;
    response
      .writeHead(isMember ? 200 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify(isMember ? replies[operation] : { errors: [{ errorType: 'Unauthorized' }] }));
  });
  servers.push(server);
  return `${await listenOnLoopback(server)}/graphql`;
}

describe('a test member', () => {
  it.each(['iam', 'userPool'])(
    'posts, lists and deletes a message in the mode %s, and signs out',
    async (mode) => {
      const { exitCode, output, codes } = await diagnose({}, { GRAPHQL_AUTH_MODE: mode });
      expect(output).toContain(
        'ok           Round trip: The test member posted a message, found it in the list and deleted it.',
      );
      expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
      expect(userPool?.revoked).toEqual([tokens.refreshToken]);
      const list = await fetch(environment.GRAPHQL_ENDPOINT ?? '', {
        method: 'POST',
        headers: { authorization: tokens.accessToken, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ listMessages { items { id } } }' }),
      });
      expect(await list.json()).toEqual({ data: { listMessages: { items: [] } } });
    },
  );

  it('with a wrong password is a failure', async () => {
    const { exitCode, output, codes } = await diagnose({ password: 'another password of a test member' });
    expect({ exitCode, codes }).toEqual({ exitCode: 1, codes: ['member-sign-in-failed'] });
    expect(output).toContain('rejects the sign-in of the test member (NotAuthorizedException)');
  });

  it('who needs a second factor is not checked', async () => {
    const { exitCode, output } = await diagnose({ nextChallenge: 'SOFTWARE_TOKEN_MFA' });
    expect(output).toContain(
      'not checked  Round trip: The user pool asks the test member for more than a password',
    );
    expect(exitCode).toBe(0);
  });

  it('who gets no credentials is a failure', async () => {
    cloud.faults.set({
      faults: [
        {
          service: 'cognito-identity',
          operation: 'GetCredentialsForIdentity',
          kind: 'error',
          error: 'InvalidIdentityPoolConfigurationException',
        },
      ],
    });
    const { codes, output } = await diagnose();
    cloud.faults.set({ faults: [] });
    expect(codes).toContain('member-credentials-refused');
    expect(output).toContain('the trust policy of its role for signed-in visitors');
    expect(userPool?.revoked).toEqual([tokens.refreshToken]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    [
      'whose message is rejected',
      { createMessage: { data: null, errors: [{ errorType: 'DynamoDB:DynamoDbException' }] } },
      'member-call-failed',
      'The operation createMessage of the test member fails (DynamoDB:DynamoDbException)',
    ],
    [
      'whose message is not in the list',
      {
        createMessage: { data: { createMessage: { id: '1' } } },
        listMessages: { data: { listMessages: { items: [{ id: '1', mine: false }] } } },
        deleteMessage: { data: { deleteMessage: { id: '1' } } },
      },
      'member-message-not-listed',
      'does not count as its own',
    ],
  ])('%s is a failure', async (_, replies, code, sentence) => {
    const { exitCode, output, codes } = await diagnose({}, { GRAPHQL_ENDPOINT: await startApi(replies) });
    expect({ exitCode, codes }).toEqual({ exitCode: 1, codes: [code] });
    expect(output).toContain(sentence);
  });

  it('needs a password in the environment', async () => {
    const { exitCode, output } = await runDoctor(environment, ['--member', ann.email]);
    expect(output).toBe('--member needs the password of the member in DOCTOR_MEMBER_PASSWORD.\n');
    expect(exitCode).toBe(2);
  });
});
