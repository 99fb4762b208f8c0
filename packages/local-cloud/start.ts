import type { FaultSettings } from './control/fault-settings.ts';
import { createFaults, type Faults } from './control/faults.ts';
import { seedTable } from './dynamodb/seed.ts';
import type { Email } from './hosted-login/outbox.ts';
import type { Clock } from './http/exchange.ts';
import { type CloudServer, createRouter, listen } from './http/server.ts';
import type { OnSecret } from './issued-secrets.ts';
import { createRoutes } from './routes.ts';
import { openServices, type Services } from './services.ts';
import { openStore } from './storage/store.ts';
import { type ClientKind, REGION } from './user-pool/user-pool.ts';
import type { Users } from './user-pool/users.ts';

export type LocalCloudOptions = {
  /** The port on 127.0.0.1. The default, 0, is a free port. */
  port?: number;
  /** The sites that sign in here, such as `http://localhost:3000`. `environment()` can register more. */
  siteOrigins?: readonly string[];
  /** The folder for the state. The default, null, keeps the state in memory only. */
  dataDir?: string | null;
  /** Whether the identity pool issues credentials to guests. The default is true. */
  allowGuests?: boolean;
  /** The lifetime of AWS credentials. The default is one hour, as at AWS. */
  credentialsSeconds?: number;
  clock?: Clock;
  /** The name of the site, which the hosted login and its emails show. The default is the host of the site. */
  siteName?: string;
  /** Called with every email that the outbox receives. */
  onEmail?: (email: Email) => void;
  /** Called with every secret that the local cloud issues. Tests check that none of them leaks. */
  onSecret?: OnSecret;
};

export type LocalCloud = {
  /** `http://127.0.0.1:{port}` */
  origin: string;
  /** The fault injection that `/_faults` controls. */
  faults: Faults;
  /** The users of the user pool. */
  users: Pick<Users, 'find' | 'setEnabled'>;
  /** The emails in the outbox, newest first. */
  readonly emails: readonly Email[];
  /**
   * Returns the site's environment variables `COGNITO_*`, `GRAPHQL_*` and `AWS_*`, without `APP_ORIGIN`. `client`
   * is the app client; the default is `rotating`. `appOrigin` registers a site.
   */
  environment(options?: { client?: ClientKind; appOrigin?: string }): Record<string, string>;
  /** Puts the items of `infra/seed.json` into the table. Without the file it does nothing. */
  seed(): Promise<void>;
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
 * Starts the local cloud on 127.0.0.1. Rejects when the port is in use, when another process uses the data folder, or
 * when the stored state is not valid.
 */
export async function startLocalCloud(options: LocalCloudOptions = {}): Promise<LocalCloud> {
  const { port = 0, siteOrigins = [], dataDir = null, allowGuests = true, onSecret = () => {} } = options;
  const faults = createFaults();
  const clock = createSkewedClock(options.clock ?? Date.now, () => faults.settings);
  const store = openStore(dataDir);
  const server = await listen(port);
  const services = await openServices({
    store,
    directory: dataDir,
    origin: server.origin,
    clock,
    faults,
    siteName: options.siteName ?? null,
    onEmail: options.onEmail ?? (() => {}),
    onSecret,
    credentialsSeconds: options.credentialsSeconds ?? 3_600,
  }).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  for (const siteOrigin of siteOrigins) services.userPool.registerSite(siteOrigin);
  server.serve(createRouter(createRoutes(services, { allowGuests })), clock);
  store.startWriting();
  return toLocalCloud(services, server, allowGuests, store.flush);
}

function createSkewedClock(machineClock: Clock, settings: () => FaultSettings): Clock {
  return () => machineClock() + settings().clockSkewSeconds * 1000;
}

function toLocalCloud(
  services: Services,
  server: CloudServer,
  allowGuests: boolean,
  flush: () => void,
): LocalCloud {
  return {
    origin: server.origin,
    faults: services.faults,
    users: services.users,
    get emails() {
      return services.outbox.emails;
    },
    environment({ client = 'rotating', appOrigin } = {}) {
      const { secret } = services.userPool.clientOf(client);
      if (secret !== null) services.onSecret('client secret', secret);
      if (appOrigin !== undefined) services.userPool.registerSite(appOrigin);
      return siteEnvironment(services, client, allowGuests);
    },
    seed: () => seedTable(services.dynamoDb.call),
    disconnect: server.close,
    reconnect: server.reopen,
    reset: services.reset,
    async close() {
      await server.close();
      await services.dynamoDb.close();
      flush();
    },
  };
}

function siteEnvironment(
  { origin, userPool, identityPool }: Services,
  kind: ClientKind,
  allowGuests: boolean,
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
    COGNITO_IDENTITY_POOL_ID: identityPool.id,
    COGNITO_ALLOW_GUESTS: String(allowGuests),
    GRAPHQL_ENDPOINT: `${origin}/graphql`,
    GRAPHQL_REGION: REGION,
    GRAPHQL_AUTH_MODE: 'iam',
    AWS_ENDPOINT_URL_COGNITO_IDENTITY: `${origin}/cognito-identity/`,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `${origin}/cognito-idp/`,
  };
}
