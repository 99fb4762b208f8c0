/** `npm run doctor` with wrong configurations and failing services, by the real command against the local cloud. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalCloud } from '@tenfold/local-cloud';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseEnv } from '../../../app/server/config/env.ts';
import { closeServer, listenOnLoopback } from '../../../tests/support/http/loopback-server.ts';
import { startLocalCloud } from '../../../tests/support/local-cloud.ts';
import { freePort } from '../../../tests/support/processes/site.ts';
import { registerSecret } from '../../../tests/support/secrets/secret-detection.ts';
import { checkConfiguration } from '../services/configuration.ts';
import {
  type Diagnosis,
  runDoctor,
  SESSION_SECRETS,
  startConfiguredCloud,
} from './support/doctor-process.ts';

type Variables = Record<string, string>;

/** The local cloud of the environment, and another one that knows nothing of the first. */
let cloud: LocalCloud;
let otherCloud: LocalCloud;
let environment: Variables;
/** An address at which nothing responds. */
let closed: string;
const servers: Server[] = [];

beforeAll(async () => {
  ({ cloud, environment } = await startConfiguredCloud());
  otherCloud = await startLocalCloud({ allowGuests: false });
  closed = `http://127.0.0.1:${await freePort()}`;
});
afterAll(async () => {
  await Promise.all([cloud.close(), otherCloud.close(), ...servers.map(closeServer)]);
});

/** Runs the command against a local cloud of its own with these faults. */
async function diagnoseWith(faults: object, args: readonly string[] = []): Promise<Diagnosis> {
  const faulty = await startLocalCloud();
  const { APP_ORIGIN: appOrigin = '' } = environment;
  faulty.faults.set(faults);
  const diagnosis = await runDoctor({ ...environment, ...faulty.environment({ appOrigin }) }, args);
  await faulty.close();
  return diagnosis;
}

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  return listenOnLoopback(server);
}

/** Expects exactly these problems: for each one the texts that its lines contain. */
function expectProblems({ problems, output }: Diagnosis, expected: readonly (readonly string[])[]): void {
  expect(problems.length, output).toBe(expected.length);
  for (const [index, texts] of expected.entries()) {
    for (const text of texts) expect(problems[index]).toContain(text);
  }
}

describe.concurrent('npm run doctor', () => {
  it('reads the environment from a file, and finds no problem in a right configuration', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    const file = join(folder, 'site.env');
    writeFileSync(
      file,
      Object.entries(environment)
        .map((variable) => `${variable.join('=')}\n`)
        .join(''),
    );
    const diagnosis = await runDoctor({}, ['--env-file', file], { fromSource: true });
    rmSync(folder, { recursive: true });
    expect(diagnosis).toMatchObject({ exitCode: 0, problems: [] });
    for (const found of [
      'The clock of this machine agrees with the user pool.',
      'The token endpoint accepts the app client and its secret.',
      'The hosted login accepts the callback URL',
      'The sign-out returns to',
      'The identity pool gives credentials to guests.',
      'The data API accepts the signature.',
    ]) {
      expect(diagnosis.output).toContain(`ok           ${found}`);
    }
    expect(diagnosis.output).toContain('not checked  REDIS_URL is not set');
  });

  it.each(['plain', 'public'] as const)('finds no problem with the app client "%s"', async (client) => {
    const { COGNITO_CLIENT_SECRET: _, ...others } = environment;
    const diagnosis = await runDoctor({ ...others, ...cloud.environment({ client }) });
    expect(diagnosis).toMatchObject({ exitCode: 0, problems: [] });
  });

  it('prints its options and exit codes with --help', async () => {
    const { exitCode, output } = await runDoctor({}, ['--help']);
    expect(output).toContain('Usage: npm run doctor -- [options]');
    expect(exitCode).toBe(0);
  });

  it.each([
    ['an unknown option', ['--fast'], "Unknown option '--fast'"],
    ['a time that is no number', ['--timeout', 'soon'], '--timeout must be a number from 1 to 60.'],
    ['a missing file', ['--env-file', '/nowhere/site.env'], 'file /nowhere/site.env does not exist.'],
  ])('cannot run with %s: exit code 2 and one sentence', async (_, args, sentence) => {
    const { exitCode, output } = await runDoctor(environment, args);
    expect(exitCode).toBe(2);
    expect(output).toContain(sentence);
    expect(output).not.toMatch(/\n\s+at /);
  });
});

describe.concurrent('the variables', () => {
  it.each<[title: string, changes: () => Variables | Promise<Variables>, ...problems: string[][]]>([
    [
      'a missing variable and a weak secret',
      () => ({ COGNITO_CLIENT_ID: '', SESSION_SECRETS: 'change-me-change-me-change-me-change-me' }),
      ['does not start', 'SESSION_SECRETS'],
      ['does not start', 'COGNITO_CLIENT_ID'],
    ],
    [
      'a secret that is too short',
      () => ({ SESSION_SECRETS: 'short' }),
      ['SESSION_SECRETS: ', '32 characters'],
    ],
    [
      'a public origin on plain HTTP',
      () => registered('http://site.invalid'),
      ['failure', 'http://site.invalid', 'Fix: Serve the site over HTTPS'],
    ],
    [
      'an https origin without trusted proxies',
      () => registered('https://site.invalid'),
      ['warning', 'TRUSTED_PROXIES is 0', 'Fix: Set TRUSTED_PROXIES'],
    ],
    [
      'trusted proxies in front of this machine',
      () => ({ TRUSTED_PROXIES: '2' }),
      ['warning', 'TRUSTED_PROXIES is 2', 'Fix: Set TRUSTED_PROXIES=0'],
    ],
    [
      'a user pool that does not exist',
      () => ({ COGNITO_ISSUER: `${cloud.origin}/us-east-1_Missing` }),
      ['COGNITO_ISSUER does not end with COGNITO_USER_POOL_ID'],
      ['There is no user pool at', 'Fix: Set COGNITO_USER_POOL_ID'],
      ['does not accept tokens of', 'Fix: Add the user pool'],
    ],
    [
      'an issuer in another spelling than that of the tokens',
      () => ({ COGNITO_ISSUER: environment.COGNITO_ISSUER?.replace('127.0.0.1', 'localhost') ?? '' }),
      ['another issuer', 'Fix: Set COGNITO_ISSUER=http://127.0.0.1'],
      ['does not accept tokens of'],
    ],
    [
      'the hosted login of another user pool',
      () => ({ COGNITO_DOMAIN: cloud.origin.replace('127.0.0.1', 'localhost') }),
      ['warning', 'Fix: Set COGNITO_DOMAIN to a domain of this user pool.'],
    ],
    [
      'a hosted login at which nothing responds',
      () => ({ COGNITO_DOMAIN: closed }),
      ['Set COGNITO_DOMAIN to a domain'],
      ['The hosted login at', '(ECONNREFUSED)', 'Fix: Check COGNITO_DOMAIN'],
    ],
    [
      'an app client that does not exist',
      () => ({ COGNITO_CLIENT_ID: '7another8client9id' }),
      ['The app client 7another8client9id does not exist', 'Fix: Set COGNITO_CLIENT_ID'],
    ],
    [
      'a wrong client secret',
      () => ({ COGNITO_CLIENT_SECRET: 'the-secret-of-another-client-of-this-pool' }),
      ['rejects COGNITO_CLIENT_SECRET', 'Fix: Set COGNITO_CLIENT_SECRET'],
    ],
    [
      'a missing client secret',
      () => ({ COGNITO_CLIENT_SECRET: '' }),
      ['COGNITO_CLIENT_SECRET is not set', 'Fix: Set COGNITO_CLIENT_SECRET'],
    ],
    [
      'a client secret in the place of the client id, which is not shown',
      async () => {
        // A cloud of its own: both values count as secrets from here on, and `runDoctor` rejects when one is printed.
        const other = await startLocalCloud();
        const { COGNITO_CLIENT_ID: id = '', COGNITO_CLIENT_SECRET: secret = '' } = other.environment();
        await other.close();
        registerSecret('client secret', secret);
        return { COGNITO_CLIENT_ID: secret, COGNITO_CLIENT_SECRET: id };
      },
      ['probably swapped', 'Fix: Set COGNITO_CLIENT_ID to the id of the app client'],
    ],
    [
      'a refresh operation that the app client does not allow',
      () => ({ COGNITO_REFRESH_OPERATION: 'InitiateAuth' }),
      ['Sessions end after an hour', 'Fix: Set COGNITO_REFRESH_OPERATION=GetTokensFromRefreshToken'],
    ],
    [
      'an origin that the app client does not know',
      async () => ({ APP_ORIGIN: `http://localhost:${await freePort()}` }),
      ['rejects the callback URL', 'Fix: Add http://localhost:'],
      ['rejects the sign-out URL', 'Fix: Add http://localhost:'],
    ],
    [
      'a hosted login without pages',
      async () => ({ COGNITO_DOMAIN: await startLoginWithoutPages() }),
      ['Set COGNITO_DOMAIN to a domain'],
      ['shows no sign-in page (status 403)', 'Fix: Create a managed login branding style'],
    ],
    [
      'an identity pool that does not exist',
      () => ({ COGNITO_IDENTITY_POOL_ID: 'us-east-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0' }),
      ['does not exist', 'Fix: Set COGNITO_IDENTITY_POOL_ID'],
    ],
    [
      'an identity pool that serves another user pool and no guests',
      () => {
        const { COGNITO_IDENTITY_POOL_ID = '', AWS_ENDPOINT_URL_COGNITO_IDENTITY = '' } =
          otherCloud.environment();
        return { COGNITO_IDENTITY_POOL_ID, AWS_ENDPOINT_URL_COGNITO_IDENTITY };
      },
      ['does not accept tokens of', 'Fix: Add the user pool with the app client'],
      ['gives guests no access', 'Fix: Set COGNITO_ALLOW_GUESTS=false'],
    ],
    [
      'an identity pool at which nothing responds',
      () => ({ AWS_ENDPOINT_URL_COGNITO_IDENTITY: closed }),
      ['The identity pool responds with NetworkError', 'Fix: Check the region'],
    ],
    [
      'requests signed for the wrong region',
      () => ({ GRAPHQL_REGION: 'eu-west-1' }),
      ['signed for the region eu-west-1', 'Fix: Set GRAPHQL_REGION'],
    ],
    [
      'an endpoint that is no GraphQL API',
      () => ({ GRAPHQL_ENDPOINT: `${cloud.origin}/nothing` }),
      ['is not the GraphQL endpoint', 'Fix: Set GRAPHQL_ENDPOINT'],
    ],
    [
      'a data API that rejects the credentials of the identity pool',
      async () => ({ GRAPHQL_ENDPOINT: await startApi({ signed: [403, invalidSignature] }) }),
      ['(UnrecognizedClientException)', 'Fix: Check that the identity pool and the AppSync API'],
    ],
    [
      'a data API without the authorization mode IAM',
      async () => ({ GRAPHQL_ENDPOINT: await startApi({ signed: [401, unparsable] }) }),
      ['does not accept signed requests', 'Fix: Add the authorization mode AWS_IAM'],
    ],
    [
      'a data API that accepts any token',
      async () => ({ GRAPHQL_ENDPOINT: await startApi({ token: [200, { data: {} }] }) }),
      ['an invalid token', 'Fix: Remove the authorization modes of the API'],
    ],
  ])('with %s: the problem and its fix are printed', async (_title, changes, ...problems) => {
    const diagnosis = await runDoctor({ ...environment, ...(await changes()) });
    expectProblems(diagnosis, problems);
    const hasFailure = diagnosis.problems.some((problem) => problem.startsWith('  failure'));
    expect(diagnosis.exitCode).toBe(hasFailure ? 1 : 0);
  });

  // The names of AWS must not be resolved by a test.
  it('with addresses in another region are named', async () => {
    const env = parseEnv({
      APP_ORIGIN: 'https://example.com',
      TRUSTED_PROXIES: '1',
      SESSION_SECRETS,
      COGNITO_USER_POOL_ID: 'eu-west-1_Abcdefghi',
      COGNITO_CLIENT_ID: '1client2of3a4pool',
      COGNITO_DOMAIN: 'https://tenfold.auth.us-east-1.amazoncognito.com',
      COGNITO_IDENTITY_POOL_ID: 'eu-west-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0',
      GRAPHQL_ENDPOINT: 'https://abcdefghijklmnopqrstuvwxyz.appsync-api.us-east-1.amazonaws.com/graphql',
    });
    const fixes: (string | undefined)[] = [];
    for await (const { status, fix } of checkConfiguration(env)) if (status === 'failure') fixes.push(fix);
    expect(fixes).toEqual([expect.stringContaining('Set COGNITO_DOMAIN'), 'Set GRAPHQL_REGION=us-east-1']);
  });
});

describe.concurrent('a service', () => {
  it.each<[string, object, string[]]>([
    [
      'is unavailable',
      { service: 'token', kind: 'status', status: 503 },
      ['The hosted login at', 'status 503', 'Fix: Run the command again'],
    ],
    [
      'sends HTML',
      { service: 'token', kind: 'html', status: 200 },
      ['There is no token endpoint at', 'Fix: Correct COGNITO_DOMAIN'],
    ],
    [
      'rejects a scope',
      { service: 'authorize', kind: 'error', error: 'invalid_scope' },
      ['(invalid_scope)', 'the scopes of the app client: openid'],
    ],
    [
      'rejects the grant type',
      { service: 'authorize', kind: 'error', error: 'unauthorized_client' },
      ['the authorization code grant', 'Fix: Allow the OAuth grant type'],
    ],
    [
      'has no role for guests',
      {
        service: 'cognito-identity',
        operation: 'GetCredentialsForIdentity',
        kind: 'error',
        error: 'InvalidIdentityPoolConfigurationException',
      },
      ['InvalidIdentityPoolConfigurationException', 'the role for guests'],
    ],
  ])('that %s is named with its fix, and the other parts are checked', async (_, fault, texts) => {
    const diagnosis = await diagnoseWith({ faults: [fault] });
    expectProblems(diagnosis, [texts]);
    expect(diagnosis.exitCode).toBe(1);
    expect(diagnosis.output).toContain('rejects an invalid token.');
  });

  it('that never responds is named with its fix after the time limit', async () => {
    const faults = [{ service: 'jwks', kind: 'hang' }];
    const { problems, exitCode } = await diagnoseWith({ faults }, ['--timeout', '6']);
    expect(problems[0]).toContain('The user pool at http://127.0.0.1');
    expect(problems[0]).toContain('does not respond (UND_ERR_HEADERS_TIMEOUT)');
    expect(exitCode).toBe(1);
  });

  it.each([
    [120, 'warning', 0],
    [-1200, 'failure', 1],
  ])('whose clock is %i seconds ahead is a %s, and the signature is still checked', async (...row) => {
    const [clockSkewSeconds, status, exit] = row;
    const diagnosis = await diagnoseWith({ clockSkewSeconds });
    expectProblems(diagnosis, [[status, 'seconds off the clock', 'Fix: Synchronize the clock']]);
    expect(diagnosis.output).toContain('ok           The data API accepts the signature.');
    expect(diagnosis.exitCode).toBe(exit);
  });
});

/** The variables for an origin that the app client knows. Its host name does not exist. */
function registered(appOrigin: string): Variables {
  cloud.environment({ appOrigin });
  return { APP_ORIGIN: appOrigin };
}

/** A hosted login whose app client has no branding style. */
function startLoginWithoutPages(): Promise<string> {
  return startServer((request, response) => {
    if (request.url?.startsWith('/oauth2/token')) {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
    } else if (request.url?.startsWith('/oauth2/authorize')) {
      response.writeHead(302, { location: `/login${request.url.replace(/^[^?]*/, '')}` }).end();
    } else if (request.url?.startsWith('/logout')) {
      response.writeHead(302, { location: `${environment.APP_ORIGIN}/` }).end();
    } else {
      response.writeHead(403).end('Login pages unavailable');
    }
  });
}

type ApiReply = readonly [status: number, body: unknown];

const errorOf = (errorType: string, message: string) => ({ errors: [{ errorType, message }] });
const unparsable = errorOf('UnauthorizedException', 'Unable to parse JWT token.');
const denied = errorOf('UnauthorizedException', 'Permission denied');
const invalidSignature = errorOf('UnrecognizedClientException', 'The security token is invalid.');

/** A data API that answers signed requests and requests with a token in one way each. */
async function startApi({
  signed = [401, denied],
  token = [401, unparsable],
}: {
  signed?: ApiReply;
  token?: ApiReply;
}) {
  const origin = await startServer((request, response) => {
    const [status, body] = request.headers.authorization?.startsWith('AWS4-') ? signed : token;
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  return `${origin}/graphql`;
}
