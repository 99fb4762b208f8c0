/** The checks with the site's own configuration, by the real command against the local cloud. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../../tests/support/http/loopback-server.ts';
import { freePort } from '../../../../tests/support/processes/site.ts';
import { registerSecret } from '../../../../tests/support/secrets/secret-detection.ts';
import { type LocalCloud, startLocalCloud } from '../../../local-cloud/start.ts';
import { type Diagnosis, runDoctor, startConfiguredCloud } from '../support/doctor-process.ts';

type Variables = Record<string, string>;

/** Every test starts a process. */
vi.setConfig({ testTimeout: 120_000 });

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

/** Runs the command with the environment of the local cloud and some changed variables. */
function diagnose(changes: Variables = {}): Promise<Diagnosis> {
  return runDoctor({ ...environment, ...changes });
}

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

/** Expects exactly these problems, the fix of each, and the exit code. */
function expectProblems(diagnosis: Diagnosis, fixes: Record<string, string>, exitCode = 1): void {
  expect(diagnosis.codes.sort(), diagnosis.output).toEqual(Object.keys(fixes).sort());
  for (const fix of Object.values(fixes)) expect(diagnosis.output).toContain(`Fix: ${fix}`);
  expect(diagnosis.exitCode).toBe(exitCode);
}

describe.concurrent('a configuration without problems', () => {
  it('is healthy in every check that has something to check', async () => {
    const { exitCode, output, codes } = await diagnose();
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
    const services = ['Signing keys', 'App client', 'Client secret', 'Authorization request', 'Sign-out'];
    const data = ['Identity provider', 'Guests', 'Region', 'Invalid token', 'Signed request'];
    for (const check of [...services, ...data]) expect(output).toContain(`ok           ${check}: `);
    expect(output).toContain('not checked  Shared store: REDIS_URL is not set');
    expect(output).toContain('not checked  Settings: There are no AWS credentials.');
  });

  it.each(['plain', 'public'] as const)('is healthy with the app client "%s"', async (client) => {
    const { COGNITO_CLIENT_SECRET: _, ...others } = environment;
    const { exitCode, codes } = await runDoctor({ ...others, ...cloud.environment({ client }) });
    expect({ exitCode, codes }).toEqual({ exitCode: 0, codes: [] });
  });
});

/** A problem that one or more variables cause, with the fix that must be printed. */
type Misconfiguration = {
  title: string;
  changes: () => Variables | Promise<Variables>;
  fixes: Record<string, string>;
  exitCode?: number;
};

const misconfigurations: readonly Misconfiguration[] = [
  {
    title: 'a missing variable and a weak secret',
    changes: () => ({ COGNITO_CLIENT_ID: '', SESSION_SECRETS: 'change-me-change-me-change-me-change-me' }),
    fixes: { 'configuration-invalid': 'Set SESSION_SECRETS in the environment' },
  },
  {
    title: 'a public origin on plain HTTP',
    changes: () => registered('http://site.invalid'),
    fixes: { 'origin-not-https': 'Serve the site over HTTPS and set APP_ORIGIN' },
  },
  {
    title: 'an https origin without trusted proxies',
    changes: () => registered('https://site.invalid'),
    fixes: { 'proxies-not-trusted': 'Set TRUSTED_PROXIES' },
    exitCode: 0,
  },
  {
    title: 'a user pool that does not exist',
    changes: () => ({ COGNITO_ISSUER: `${cloud.origin}/us-east-1_Missing` }),
    fixes: {
      'issuer-of-other-user-pool': 'Set both to the same user pool.',
      'user-pool-not-found': 'Set COGNITO_USER_POOL_ID to the id of the user pool',
      'provider-not-accepted': 'Add the user pool with the app client',
    },
  },
  {
    title: 'an issuer in another spelling than that of the tokens',
    changes: () => ({ COGNITO_ISSUER: environment.COGNITO_ISSUER?.replace('127.0.0.1', 'localhost') ?? '' }),
    fixes: {
      'issuer-mismatch': 'Set COGNITO_ISSUER=http://127.0.0.1',
      'provider-not-accepted': 'Add the user pool with the app client',
    },
  },
  {
    title: 'a hosted login that the user pool does not name',
    changes: () => ({ COGNITO_DOMAIN: cloud.origin.replace('127.0.0.1', 'localhost') }),
    fixes: { 'other-hosted-login': 'Check that COGNITO_DOMAIN is a domain of this user pool.' },
    exitCode: 0,
  },
  {
    title: 'a hosted login at which nothing responds',
    changes: () => ({ COGNITO_DOMAIN: closed }),
    fixes: {
      'other-hosted-login': 'Check that COGNITO_DOMAIN',
      'service-unreachable': 'Check COGNITO_DOMAIN, and whether this machine can reach',
    },
  },
  {
    title: 'a custom domain of the hosted login without a DNS record',
    // No name server is asked for a name with a part of more than 63 characters.
    changes: () => ({ COGNITO_DOMAIN: `https://${'login'.repeat(13)}.example` }),
    fixes: {
      'other-hosted-login': 'Check that COGNITO_DOMAIN',
      'custom-domain-without-dns': 'Create an alias or CNAME record from loginlogin',
    },
  },
  {
    title: 'an app client that does not exist',
    changes: () => ({ COGNITO_CLIENT_ID: '7another8client9id' }),
    fixes: { 'client-not-found': 'Set COGNITO_CLIENT_ID' },
  },
  {
    title: 'a wrong client secret',
    changes: () => ({ COGNITO_CLIENT_SECRET: 'the-secret-of-another-client-of-this-pool' }),
    fixes: { 'client-secret-rejected': 'Set COGNITO_CLIENT_SECRET to the secret of the app client' },
  },
  {
    title: 'a missing client secret',
    changes: () => ({ COGNITO_CLIENT_SECRET: '' }),
    fixes: { 'client-secret-missing': 'Set COGNITO_CLIENT_SECRET' },
  },
  {
    title: 'a client secret in the place of the client id, which is not shown',
    changes: async () => {
      // A cloud of its own: both values count as secrets from here on, and `runDoctor` rejects when one is printed.
      const other = await startLocalCloud();
      const { COGNITO_CLIENT_ID: id = '', COGNITO_CLIENT_SECRET: secret = '' } = other.environment();
      await other.close();
      registerSecret('client secret', secret);
      return { COGNITO_CLIENT_ID: secret, COGNITO_CLIENT_SECRET: id };
    },
    fixes: { 'client-id-is-secret': 'Set COGNITO_CLIENT_ID to the id of the app client' },
  },
  {
    title: 'a refresh operation that the app client does not allow',
    changes: () => ({ COGNITO_REFRESH_OPERATION: 'InitiateAuth' }),
    fixes: { 'refresh-operation-not-allowed': 'Set COGNITO_REFRESH_OPERATION=GetTokensFromRefreshToken' },
  },
  {
    title: 'an origin that the app client does not know',
    changes: async () => ({ APP_ORIGIN: `http://localhost:${await freePort()}` }),
    fixes: {
      'callback-url-not-registered': 'Add http://localhost:',
      'sign-out-url-not-registered': 'Add http://localhost:',
    },
  },
  {
    title: 'a hosted login without pages',
    changes: async () => ({ COGNITO_DOMAIN: await startLoginWithoutPages() }),
    fixes: {
      'other-hosted-login': 'Check that COGNITO_DOMAIN',
      'login-page-unavailable': 'Create a managed login branding style',
    },
  },
  {
    title: 'an identity pool that does not exist',
    changes: () => ({ COGNITO_IDENTITY_POOL_ID: 'us-east-1:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0' }),
    fixes: { 'identity-pool-not-found': 'Set COGNITO_IDENTITY_POOL_ID' },
  },
  {
    title: 'an identity pool that serves another user pool and no guests',
    changes: () => {
      const { COGNITO_IDENTITY_POOL_ID = '', AWS_ENDPOINT_URL_COGNITO_IDENTITY = '' } =
        otherCloud.environment();
      return { COGNITO_IDENTITY_POOL_ID, AWS_ENDPOINT_URL_COGNITO_IDENTITY };
    },
    fixes: {
      'provider-not-accepted': 'Add the user pool with the app client',
      'guests-not-allowed': 'Set COGNITO_ALLOW_GUESTS=false',
    },
  },
  {
    title: 'an identity pool at which nothing responds',
    changes: () => ({ AWS_ENDPOINT_URL_COGNITO_IDENTITY: closed }),
    fixes: { 'service-unreachable': 'Check the region at the start of COGNITO_IDENTITY_POOL_ID' },
  },
  {
    title: 'requests signed for the wrong region',
    changes: () => ({ GRAPHQL_REGION: 'eu-west-1' }),
    fixes: { 'graphql-region-rejected': 'Set GRAPHQL_REGION to the region of the AppSync API.' },
  },
  {
    title: 'an endpoint that is no GraphQL API',
    changes: () => ({ GRAPHQL_ENDPOINT: `${cloud.origin}/nothing` }),
    fixes: { 'graphql-endpoint-wrong': 'Set GRAPHQL_ENDPOINT to the GraphQL endpoint of the API' },
  },
  {
    title: 'a data API that rejects the credentials of the identity pool',
    changes: async () => ({ GRAPHQL_ENDPOINT: await startApi({ signed: [403, invalidSignature] }) }),
    fixes: { 'graphql-signature-rejected': 'Check that the identity pool and the AppSync API' },
  },
  {
    title: 'a data API without the authorization mode IAM',
    changes: async () => ({ GRAPHQL_ENDPOINT: await startApi({ signed: [401, unparsable] }) }),
    fixes: { 'graphql-iam-not-enabled': 'Add the authorization mode AWS_IAM' },
  },
  {
    title: 'a data API that answers introspection queries',
    changes: async () => ({ GRAPHQL_ENDPOINT: await startApi({ signed: [200, introspection] }) }),
    fixes: { 'introspection-enabled': 'Set the introspection of the AppSync API to DISABLED.' },
    exitCode: 0,
  },
  {
    title: 'a data API that accepts any token',
    changes: async () => ({ GRAPHQL_ENDPOINT: await startApi({ token: [200, introspection] }) }),
    fixes: {
      'graphql-invalid-token-accepted': 'Remove the authorization modes of the API that accept any caller',
    },
  },
];

describe.concurrent('the variables', () => {
  it.each(misconfigurations)('with $title: the problem and its fix are printed', async (row) => {
    const diagnosis = await diagnose(await row.changes());
    expectProblems({ ...diagnosis, codes: [...new Set(diagnosis.codes)] }, row.fixes, row.exitCode);
  });
});

describe.concurrent('a service', () => {
  it.each<[string, object, Record<string, string>]>([
    [
      'is unavailable',
      { service: 'token', kind: 'status', status: 503 },
      { 'service-failing': 'Run the command' },
    ],
    [
      'sends HTML',
      { service: 'token', kind: 'html', status: 200 },
      { 'service-unexpected': 'Check COGNITO_DOMAIN' },
    ],
    [
      'rejects a scope',
      { service: 'authorize', kind: 'error', error: 'invalid_scope' },
      { 'scope-not-allowed': 'Allow the scopes openid email profile' },
    ],
    [
      'rejects the grant type',
      { service: 'authorize', kind: 'error', error: 'unauthorized_client' },
      { 'code-grant-not-allowed': 'Allow the OAuth grant type' },
    ],
    [
      'rejects the authorization request for another reason',
      { service: 'authorize', kind: 'error', error: 'invalid_request' },
      { 'authorization-rejected': 'Check COGNITO_DOMAIN, COGNITO_CLIENT_ID' },
    ],
    [
      'has no role for guests',
      {
        service: 'cognito-identity',
        operation: 'GetCredentialsForIdentity',
        kind: 'error',
        error: 'InvalidIdentityPoolConfigurationException',
      },
      { 'guest-credentials-refused': 'Set a role for guests in the identity pool' },
    ],
  ])('that %s is named with its fix, and the other checks go on', async (_, fault, fixes) => {
    const diagnosis = await diagnoseWith({ faults: [fault] });
    expectProblems(diagnosis, fixes);
    expect(diagnosis.output).toContain('ok           Invalid token: ');
  });

  it('that never responds is named with its fix after the time limit', async () => {
    const faults = [{ service: 'jwks', kind: 'hang' }];
    const { codes, output, exitCode } = await diagnoseWith({ faults }, ['--timeout', '6']);
    expect(codes).toContain('service-timeout');
    expect(output).toContain('Signing keys: The user pool at http://127.0.0.1');
    expect(output).toContain('Fix: Run the command again, with a longer `--timeout`');
    expect(exitCode).toBe(1);
  });

  it.each([
    [120, 'clock-inaccurate', 0],
    [-1200, 'clock-wrong', 1],
  ])(
    'whose clock is %i seconds ahead is named, and its signature check still passes',
    async (seconds, code, exit) => {
      const { codes, output, exitCode } = await diagnoseWith({ clockSkewSeconds: seconds });
      expect(new Set(codes)).toEqual(new Set([code]));
      expect(output).toContain('Fix: Synchronize the clock of the machine (NTP)');
      expect(output).toContain('ok           Signed request: The data API accepts the signature.');
      expect(exitCode).toBe(exit);
    },
  );
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

const unparsable = {
  errors: [{ errorType: 'UnauthorizedException', message: 'Unable to parse JWT token.' }],
};
const denied = { errors: [{ errorType: 'UnauthorizedException', message: 'Permission denied' }] };
const introspection = { data: { __schema: { queryType: { name: 'Query' } } } };
const invalidSignature = {
  errors: [
    {
      errorType: 'UnrecognizedClientException',
      message: 'The security token included in the request is invalid.',
    },
  ],
};

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
