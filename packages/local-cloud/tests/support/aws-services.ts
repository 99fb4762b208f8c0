/** The local cloud over HTTP with its services, and with a clock that the test sets. */
import { randomUUID } from 'node:crypto';
import { CognitoIdentityClient } from '@aws-sdk/client-cognito-identity';
import { createDataApi } from '../../appsync/data-api.ts';
import { createFaults } from '../../control/faults.ts';
import { createRouter, listen } from '../../http/server.ts';
import { createRoutes } from '../../routes.ts';
import { openServices } from '../../services.ts';
import { openStore } from '../../storage/store.ts';
import { REGION } from '../../user-pool/user-pool.ts';

export type AwsServices = Awaited<ReturnType<typeof startAwsServices>>;

export const CREDENTIAL_SECONDS = 3_600;

type Options = { allowGuests?: boolean; schema?: string; directory?: string | null };

/** Starts on a free port. With a `directory` the state is stored there; `schema` replaces that of the project. */
export async function startAwsServices({ allowGuests = true, schema, directory = null }: Options = {}) {
  const time = { now: Date.parse('2026-11-21T10:00:00Z') };
  const clock = () => time.now;
  const server = await listen(0);
  const store = openStore(directory);
  const services = await openServices({
    store,
    directory,
    origin: server.origin,
    clock,
    faults: createFaults(),
    siteName: null,
    onEmail: () => {},
    onSecret: () => {},
    credentialsSeconds: CREDENTIAL_SECONDS,
  });
  const { userPool, grants, dynamoDb } = services;
  const routes = createRoutes(services, { allowGuests });
  if (schema !== undefined) {
    const { id: identityPoolId, accessKeys } = services.identityPool;
    const { providerName } = userPool;
    const deps = { ...services, region: REGION, identityPoolId, accessKeys, providerName, schema };
    routes.push({ path: '/graphql', handler: createDataApi(deps) });
  }
  server.serve(createRouter(routes), clock);

  return {
    ...services,
    time,
    /** Returns the grant of a user who signs in. */
    grant: (sub: string = randomUUID()) =>
      grants.open({
        clientId: userPool.clientOf('rotating').id,
        sub,
        email: `${sub}@example.com`,
        scopes: ['openid', 'email', 'profile'],
        authTime: Math.floor(clock() / 1000),
      }).grant,
    /** Returns the client of the AWS SDK, configured without credentials as in the site. */
    client: () =>
      new CognitoIdentityClient({
        region: REGION,
        endpoint: `${server.origin}/cognito-identity/`,
        maxAttempts: 1,
      }),
    async close() {
      store.flush();
      await server.close();
      await dynamoDb.close();
    },
  };
}
