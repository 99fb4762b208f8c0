import { createDataApi } from './appsync/data-api.ts';
import { createRealTime } from './appsync/real-time.ts';
import {
  createFaultsEndpoint,
  createOutboxEndpoint,
  createResetEndpoint,
} from './control/control-endpoints.tsx';
import { createFaultPoints } from './control/fault-points.ts';
import { Faults, type FaultyService } from './control/faults.ts';
import { openDynamoDb, seedTable } from './dynamodb/dynamodb.ts';
import { createAsset } from './hosted-login/html-page.tsx';
import { createOutbox } from './hosted-login/outbox.ts';
import type { HostedLoginDeps } from './hosted-login/page-handler.ts';
import {
  createConfirm,
  createConfirmForgotPassword,
  createErrorPage,
  createForgotPassword,
  createSignIn,
  createSignUp,
} from './hosted-login/pages.tsx';
import type { Clock, Handler } from './http/exchange.ts';
import { type CloudServer, createRouter, listen, type Route } from './http/server.ts';
import { createIdentityPool, type IdentityKeys } from './identity-pool/identity-pool.ts';
import { type Infra, readInfra } from './infra/infra.ts';
import type { InfraSource } from './infra/infra-source.ts';
import type { OnSecret } from './issued-secrets.ts';
import { createAuthorizationCodes } from './oauth/authorization-codes.ts';
import { createAuthorizeEndpoint, createLogoutEndpoint } from './oauth/authorize-endpoint.ts';
import { openBrowserSessions } from './oauth/browser-sessions.ts';
import { createDiscovery, createJwks } from './oauth/discovery.ts';
import {
  createRevocationEndpoint,
  createTokenEndpoint,
  type TokenEndpointDeps,
} from './oauth/token-endpoint.ts';
import { StartError } from './start-error.ts';
import { type Email, lockFolder, openStore, type Store } from './storage/store.ts';
import { openGrants } from './user-pool/grants.ts';
import { generateKeys, openKeys, sharedKeys } from './user-pool/keys.ts';
import { createTokens, TokenError } from './user-pool/tokens.ts';
import {
  type ClientKind,
  createPools,
  openUserPool,
  REGION,
  registerSite,
  type UserPool,
} from './user-pool/user-pool.ts';
import { createUserPoolApi } from './user-pool/user-pool-api.ts';
import { openUsers, type Users } from './user-pool/users.ts';

export type LocalCloudOptions = {
  /** The template, the schema and the resolvers that it stands for. */
  infra: InfraSource;
  /** The port on 127.0.0.1. The default, 0, is a free port. */
  port?: number;
  /**
   * Where browsers and the site reach it, if that is not `http://127.0.0.1:{port}`, such as the address of a proxy. It
   * listens on all addresses then.
   */
  origin?: string | undefined;
  /** The sites that sign in here, such as `http://localhost:3000`. `environment()` can register more. */
  siteOrigins?: readonly string[];
  /** The folder for the state. The default, null, keeps the state in memory only. */
  dataDir?: string | null;
  /** Whether the identity pool issues credentials to guests. The default is true. */
  allowGuests?: boolean;
  clock?: Clock;
  /** The name of the site, which the hosted login and its emails show. The default is the host of the site. */
  siteName?: string | null;
  /** A user who exists from the start, is a member of the group `admins`, and has this password. */
  administrator?: { email: string; password: string } | null;
  /** CSS declarations of the site's colors for the hosted login: `--primary-50` to `--primary-950`. The default is blue. */
  palette?: string;
  /** Called with every email that the outbox receives. */
  onEmail?: (email: Email) => void;
  /** Called with every secret that the local cloud issues. Tests check that none of them leaks. */
  onSecret?: OnSecret;
};

export type LocalCloud = {
  /** `http://127.0.0.1:{port}`, unless another origin was given. */
  origin: string;
  /** The fault injection that `/_faults` controls. */
  faults: Faults;
  /** The users of the user pool. */
  users: Pick<Users, 'find'>;
  /** The emails in the outbox, newest first. */
  readonly emails: readonly Email[];
  /**
   * Returns the site's environment variables `COGNITO_*`, `GRAPHQL_*` and `AWS_*`, without `APP_ORIGIN`. `client`
   * is the app client; the default is `rotating`. `appOrigin` registers a site.
   */
  environment(options?: { client?: ClientKind; appOrigin?: string }): Record<string, string>;
  /**
   * Sends requests to the table, in the format of DynamoDB's `BatchWriteItem`. Rejects with DynamoDB's error when one is not
   * valid.
   */
  seed(requests: unknown): Promise<void>;
  /** Closes the port and all connections, so that connections are refused until `reconnect`. The state remains. */
  disconnect(): Promise<void>;
  /** Listens on the same port again. */
  reconnect(): Promise<void>;
  /** Deletes users, sessions, emails, identities and messages. Keys, client ids and client secrets remain. */
  reset(): Promise<void>;
  /** Closes the port and all connections, and writes pending changes of the state. */
  close(): Promise<void>;
};

/**
 * Starts the local cloud on 127.0.0.1. Rejects in production, when the port is in use, when another process uses the data
 * folder, when the stored state is not valid, or when the infrastructure has something that the local cloud does not support.
 */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  if (process.env.NODE_ENV === 'production') {
    throw new StartError('The local cloud does not run in production. It is only for development and tests.');
  }
  const { dataDir = null } = options;
  const infra = readInfra(options.infra);
  const server = await listen(options.port ?? 0, options.origin);
  let unlock = () => {};
  try {
    if (dataDir !== null) unlock = lockFolder(dataDir);
    const createKeys = dataDir === null ? sharedKeys : generateKeys;
    const store = await openStore(dataDir, async () => createPools(await createKeys()));
    return await startServices(options, { infra, server, store, unlock });
  } catch (error) {
    unlock();
    await server.close();
    throw error;
  }
}

type Parts = { infra: Infra; server: CloudServer; store: Store; unlock: () => void };

async function startServices(
  options: LocalCloudOptions,
  { infra, server, store, unlock }: Parts,
): Promise<LocalCloud> {
  const { dataDir = null, allowGuests = true, onSecret = () => {} } = options;
  const { origin } = server;
  const faults = new Faults();
  const machineClock = options.clock ?? Date.now;
  const clock = () => machineClock() + faults.settings.clockSkewSeconds * 1000;

  const userPool = openUserPool(store, origin, {
    siteName: options.siteName ?? null,
    minPasswordLength: infra.minPasswordLength,
    ...infra.client,
  });
  for (const siteOrigin of options.siteOrigins ?? []) registerSite(userPool, siteOrigin);
  const keys = await openKeys(store.state.keys);
  const users = openUsers(store, clock);
  const isEnabled = (sub: string) => users.findBySub(sub)?.enabled ?? false;
  const graceMs = () => faults.settings.rotationGraceSeconds * 1000;
  const grants = openGrants(store, { clock, graceMs, isEnabled, onSecret });
  const lifetime = () => faults.settings.tokenSeconds;
  const tokens = createTokens({
    keys,
    userPool,
    clock,
    lifetime,
    isRevoked: grants.isRevoked,
    groupsOf: (sub) => users.findBySub(sub)?.groups ?? [],
    nameOf: (sub) => users.findBySub(sub)?.name ?? null,
    roles: infra.roles,
    onSecret,
  });
  const codes = createAuthorizationCodes({ clock, revokeGrant: grants.revoke, onSecret });
  const browserSessions = openBrowserSessions(store, { clock, isEnabled });
  const sendCode = createOutbox(store, clock, options.onEmail ?? (() => {}));
  const dynamoDb = openDynamoDb(dataDir, infra.table, clock);
  const accessKeys: IdentityKeys = new Map();

  const createAdministrator = async () => {
    if (options.administrator) await users.createAdministrator(options.administrator);
  };
  await createAdministrator();

  async function reset(): Promise<void> {
    store.reset();
    await createAdministrator();
    codes.clear();
    await dynamoDb.reset();
  }

  const points = createFaultPoints(userPool);
  const withFaults = (methods: string, service: FaultyService, handler: Handler): Route => [
    methods,
    faults.around(service, points[service], handler),
  ];
  const identityPool = createIdentityPool({
    store,
    providerNames: [userPool.providerName, userPool.issuerName],
    allowGuests,
    accessKeys,
    // As with ServerSideTokenCheck in the template.
    async verifyIdToken(token) {
      const claims = await tokens.verifyIdToken(token);
      if (users.findBySub(claims.sub)) return claims;
      throw new TokenError('revoked');
    },
    roles: infra.roles,
    clock,
    onSecret,
  });
  const dataApi = createDataApi({
    infra,
    identityPoolId: store.state.identityPool.id,
    userPool,
    accessKeys,
    dynamoDb,
    tokens,
    clock,
    deniedFields: () => faults.settings.deniedFields,
  });
  // It takes longer than the rest, which does not wait for it. Most tests, with state in memory, need no table.
  if (dataDir !== null) dynamoDb.start();
  const oauth: TokenEndpointDeps = { userPool, codes, grants, tokens, onSecret };
  const wellKnown = `/${userPool.id}/.well-known`;
  server.serve(
    createRouter({
      ...hostedLoginRoutes({ userPool, users, sendCode, codes, browserSessions }, options.palette),
      '/oauth2/authorize': withFaults(
        'GET',
        'authorize',
        createAuthorizeEndpoint({ userPool, codes, browserSessions }),
      ),
      '/oauth2/token': withFaults('POST', 'token', createTokenEndpoint(oauth)),
      '/oauth2/revoke': withFaults('POST', 'revoke', createRevocationEndpoint(oauth)),
      [`${wellKnown}/openid-configuration`]: ['GET', createDiscovery(userPool, origin)],
      [`${wellKnown}/jwks.json`]: withFaults('GET', 'jwks', createJwks(keys)),
      '/cognito-idp': withFaults(
        'POST',
        'cognito-idp',
        createUserPoolApi({ userPool, grants, tokens, users, groups: infra.roles.groups }),
      ),
      '/cognito-identity': withFaults('POST', 'cognito-identity', identityPool),
      '/graphql': withFaults('POST', 'graphql', dataApi.handler),
      '/_outbox': ['GET', createOutboxEndpoint(origin, () => store.state.outbox)],
      '/_faults': ['GET, POST', createFaultsEndpoint(origin, faults)],
      '/_reset': ['POST', createResetEndpoint(origin, reset)],
    }),
    createRealTime({
      dataApi,
      clock,
      timeoutMs: () => faults.settings.realTimeTimeoutMs,
      withFaults: (handler) => faults.around('real-time', points['real-time'], handler),
    }),
    clock,
  );
  return {
    origin,
    faults,
    users,
    get emails() {
      return store.state.outbox;
    },
    environment({ client = 'rotating', appOrigin } = {}) {
      const { secret } = userPool.clientOf(client);
      if (secret !== null) onSecret('client secret', secret);
      if (appOrigin !== undefined) registerSite(userPool, appOrigin);
      return siteEnvironment({ origin, userPool, store, allowGuests }, client);
    },
    seed: (requests) => seedTable(dynamoDb.call, requests),
    disconnect: server.close,
    reconnect: server.reopen,
    reset,
    async close() {
      await server.close();
      await dynamoDb.close();
      store.flush();
      unlock();
    },
  };
}

function hostedLoginRoutes(deps: HostedLoginDeps, palette = ''): Record<string, Route> {
  return {
    '/login': ['GET, POST', createSignIn(deps)],
    '/signup': ['GET, POST', createSignUp(deps)],
    '/confirm': ['GET, POST', createConfirm(deps)],
    '/forgotPassword': ['GET, POST', createForgotPassword(deps)],
    '/confirmforgotPassword': ['GET, POST', createConfirmForgotPassword(deps)],
    '/logout': ['GET', createLogoutEndpoint(deps)],
    '/error': ['GET', createErrorPage()],
    '/_assets/pages.css': ['GET', createAsset('pages.css', `:root { ${palette} }`)],
    '/_assets/show-password.js': ['GET', createAsset('show-password.js')],
  };
}

type EnvironmentDeps = { origin: string; userPool: UserPool; store: Store; allowGuests: boolean };

function siteEnvironment(
  { origin, userPool, store, allowGuests }: EnvironmentDeps,
  kind: ClientKind,
): Record<string, string> {
  const client = userPool.clientOf(kind);
  return {
    AWS_REGION: REGION,
    COGNITO_USER_POOL_ID: userPool.id,
    COGNITO_CLIENT_ID: client.id,
    ...(client.secret === null ? {} : { COGNITO_CLIENT_SECRET: client.secret }),
    COGNITO_DOMAIN: origin,
    COGNITO_ISSUER: userPool.issuer,
    COGNITO_REFRESH_OPERATION: client.rotatesRefreshTokens ? 'GetTokensFromRefreshToken' : 'InitiateAuth',
    COGNITO_IDENTITY_POOL_ID: store.state.identityPool.id,
    COGNITO_ALLOW_GUESTS: String(allowGuests),
    GRAPHQL_ENDPOINT: `${origin}/graphql`,
    GRAPHQL_REGION: REGION,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY: `${origin}/cognito-identity/`,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `${origin}/cognito-idp/`,
  };
}
