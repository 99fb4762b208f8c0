/** The identity pool and the data API of the local cloud without the rest, over HTTP, with a clock that the test sets. */
import { randomUUID } from 'node:crypto';
import { CognitoIdentityClient } from '@aws-sdk/client-cognito-identity';
import { createDataApi } from '../../appsync/data-api.ts';
import { openDynamoDb } from '../../dynamodb/dynamodb.ts';
import type { CloudResponse } from '../../http/exchange.ts';
import { listen } from '../../http/server.ts';
import { createAccessKeys } from '../../identity-pool/access-keys.ts';
import { openIdentities } from '../../identity-pool/identities.ts';
import { createIdentityPool } from '../../identity-pool/identity-pool.ts';
import { openStore } from '../../storage/store.ts';
import { takeKey } from '../../user-pool/key-supply.ts';
import { openKeys } from '../../user-pool/keys.ts';
import { createTokens } from '../../user-pool/tokens.ts';
import { openUserPool, REGION, type UserPool } from '../../user-pool/user-pool.ts';

export type AwsServices = Awaited<ReturnType<typeof startAwsServices>>;

export const IDENTITY_POOL_ID = `${REGION}:0b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0`;
export const CREDENTIAL_SECONDS = 3_600;

type Options = { allowGuests?: boolean; schema?: string; directory?: string | null };

/** Starts both on a free port. With a `directory` the state is stored there. */
export async function startAwsServices({ allowGuests = true, schema, directory = null }: Options = {}) {
  const time = { now: Date.parse('2026-11-21T10:00:00Z') };
  const clock = () => time.now;
  const server = await listen(0);
  const store = openStore(directory);
  const userPool = openUserPool(store, server.origin);
  const revoked = new Set<string>();
  const tokens = createTokens({
    keys: await openKeys(store, takeKey),
    userPool,
    clock,
    lifetime: () => 3_600,
    isRevoked: (originJti) => revoked.has(originJti),
  });
  const accessKeys = createAccessKeys({ clock, seconds: CREDENTIAL_SECONDS });
  const identityPool = createIdentityPool({
    id: IDENTITY_POOL_ID,
    providerNames: [userPool.providerName, userPool.issuerName],
    allowGuests,
    identities: openIdentities(store, REGION),
    accessKeys,
    verifyIdToken: tokens.verifyIdToken,
    clock,
  });
  const dynamoDb = await openDynamoDb(directory);
  const dataApi = createDataApi({
    region: REGION,
    identityPoolId: IDENTITY_POOL_ID,
    providerName: userPool.providerName,
    clock,
    accessKeys,
    tokens,
    dynamoDb,
    ...(schema === undefined ? {} : { schema }),
  });
  server.serve(async (request): Promise<CloudResponse> => {
    return request.url.pathname === '/graphql' ? dataApi(request) : identityPool(request);
  }, clock);

  return {
    origin: server.origin,
    time,
    dynamoDb,
    tokens,
    revoked,
    accessKeys,
    providerName: userPool.providerName,
    issuerName: userPool.issuerName,
    /** Returns the grant of a signed-in user. Adding its `originJti` to `revoked` revokes it. */
    grant: (sub: string = randomUUID()) => grantOf(sub, userPool, clock()),
    /** Returns the client of the AWS SDK, configured without credentials as in the site. */
    client: () =>
      new CognitoIdentityClient({
        region: REGION,
        endpoint: `${server.origin}/cognito-identity/`,
        maxAttempts: 1,
      }),
    /** Deletes identities and messages. */
    async reset() {
      store.reset();
      await dynamoDb.reset();
    },
    async close() {
      store.flush();
      await server.close();
      await dynamoDb.close();
    },
  };
}

function grantOf(sub: string, userPool: UserPool, now: number) {
  return {
    originJti: randomUUID(),
    clientId: userPool.clientOf('rotating').id,
    sub,
    email: `${sub}@example.com`,
    scopes: ['openid', 'email', 'profile'],
    authTime: Math.floor(now / 1000),
  };
}
