import { createFaults, type Faults } from './control/faults.ts';
import type { Clock } from './http/exchange.ts';
import { createRouter } from './http/router.ts';
import { listen } from './http/server.ts';
import { cloudRoutes } from './routes.ts';
import { openServices, type Services } from './services.ts';
import { openStore } from './storage/store.ts';
import type { OnSecret } from './user-pool/issued-secrets.ts';
import type { Mail } from './user-pool/outbox.ts';
import { type ClientKind, REGION } from './user-pool/user-pool.ts';

export type LocalCloudOptions = {
  /** Left out or 0: a free one. */
  port?: number;
  /** The sites that sign in here, such as `http://localhost:3000`. More can be registered later. */
  siteOrigins?: readonly string[];
  /** Where state is kept between runs; left out or null, nothing is. */
  dataDir?: string | null;
  /** Whether the identity pool gives guests credentials. */
  allowGuests?: boolean;
  /** Lifetime of AWS credentials; an hour when it is left out, as at AWS. */
  credentialsSeconds?: number;
  clock?: Clock;
  /** Hears of every mail that lands in the outbox. */
  onMail?: (mail: Mail) => void;
  /** Hears of every secret that is given out: tests look for them where they must not be. */
  onSecret?: OnSecret;
};

export type LocalCloud = {
  /** `http://127.0.0.1:{port}` */
  origin: string;
  /** What `/_faults` shows and sets. */
  faults: Faults;
  /** What `/_outbox` shows, newest first. */
  readonly mails: readonly Mail[];
  /**
   * What the site is to be told, `APP_ORIGIN` aside: its `COGNITO_*`, `GRAPHQL_*` and `AWS_ENDPOINT_URL_*` variables.
   * `client` is the app client (the rotating one when it is left out); `appOrigin` registers a site.
   */
  environment(options?: { client?: ClientKind; appOrigin?: string }): Record<string, string>;
  /** Closes the port: connections end, and whoever comes is refused, until `plugIn`. Nothing is forgotten. */
  unplug(): Promise<void>;
  plugIn(): Promise<void>;
  /** Forgets users, sessions, mails, identities and messages; keys and client ids stay. */
  reset(): void;
  /** Ends every connection at once and writes what is not written yet. */
  close(): Promise<void>;
};

/**
 * Starts the local cloud on 127.0.0.1. Rejects when the port is taken, or when what an earlier run left in `dataDir`
 * cannot be read.
 */
export async function startLocalCloud(options: LocalCloudOptions = {}): Promise<LocalCloud> {
  const {
    port = 0,
    siteOrigins = [],
    dataDir = null,
    allowGuests = true,
    credentialsSeconds = 3_600,
  } = options;
  const machineClock = options.clock ?? Date.now;
  const faults = createFaults();
  const clock: Clock = () => machineClock() + faults.settings.clockSkewSeconds * 1000;
  const store = openStore(dataDir);
  const server = await listen(port);
  const { onMail = () => {}, onSecret = () => {} } = options;
  const services = await openServices({
    store,
    origin: server.origin,
    clock,
    faults,
    onMail,
    onSecret,
    credentialsSeconds,
  }).catch(async (error: unknown) => {
    await server.close();
    throw error;
  });
  for (const siteOrigin of siteOrigins) services.userPool.registerSite(siteOrigin);
  server.serve(createRouter(cloudRoutes(services, { allowGuests })), clock);
  return {
    origin: server.origin,
    faults,
    get mails() {
      return services.outbox.mails;
    },
    environment({ client = 'rotating', appOrigin } = {}) {
      const { secret } = services.userPool.clientOf(client);
      if (secret !== null) onSecret('client secret', secret);
      if (appOrigin !== undefined) services.userPool.registerSite(appOrigin);
      return siteEnvironment(services, client, allowGuests);
    },
    unplug: server.close,
    plugIn: server.reopen,
    reset: services.reset,
    async close() {
      await server.close();
      store.flush();
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
