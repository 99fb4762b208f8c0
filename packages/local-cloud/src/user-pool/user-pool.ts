import { createHmac, randomUUID } from 'node:crypto';
import { AwsError } from '../http/aws-json.ts';
import { randomText } from '../storage/secrets.ts';
import type { LastingState, Store } from '../storage/store.ts';

/** The AWS region of the user pool, the identity pool and the data API. */
export const REGION = 'us-east-1';

/**
 * The app clients of the user pool: `rotating` rotates refresh tokens, `plain` does not, and `public` rotates them
 * and has no secret.
 */
export type ClientKind = keyof LastingState['userPool']['clients'];
const clientKinds: readonly ClientKind[] = ['rotating', 'plain', 'public'];

export type AppClient = {
  id: string;
  /** Null for a public client. */
  secret: string | null;
  rotatesRefreshTokens: boolean;
};

/** The user pool and its app clients. */
export type UserPool = {
  id: string;
  /** The name of the site, which pages and emails show, or null. */
  siteName: string | null;
  minPasswordLength: number;
  /** The scopes that every app client allows. */
  allowedScopes: readonly string[];
  /** The attributes that every app client may write. */
  writableAttributes: readonly string[];
  /** The `iss` claim of the tokens. */
  issuer: string;
  /** The user pool's name in the `Logins` of the identity pool. It has AWS's form, unlike the local issuer. */
  providerName: string;
  /** The issuer without its scheme. At AWS it equals `providerName`, and Amplify takes the name from the `iss` claim. */
  issuerName: string;
  /** The URLs to which every app client may redirect: `{origin}/auth/callback` and `{origin}/` of each site. */
  callbackUrls: Set<string>;
  signOutUrls: Set<string>;
  findClient(id: string): AppClient | undefined;
  clientOf(kind: ClientKind): AppClient;
};

/** The scope of access tokens that may read and change the account of their user. */
export const USER_ADMIN_SCOPE = 'aws.cognito.signin.user.admin';

const POOL_ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Opens the user pool of a local cloud at `origin`. */
export function openUserPool(
  { state }: Store,
  origin: string,
  settings: Pick<UserPool, 'siteName' | 'minPasswordLength' | 'allowedScopes' | 'writableAttributes'>,
): UserPool {
  const { id, clients } = state.userPool;
  const clientOf = (kind: ClientKind): AppClient => ({
    ...clients[kind],
    rotatesRefreshTokens: kind !== 'plain',
  });
  return {
    id,
    ...settings,
    issuer: `${origin}/${id}`,
    providerName: `cognito-idp.${REGION}.amazonaws.com/${id}`,
    issuerName: `${new URL(origin).host}/${id}`,
    callbackUrls: new Set(),
    signOutUrls: new Set(),
    findClient: (clientId) => clientKinds.map(clientOf).find((client) => client.id === clientId),
    clientOf,
  };
}

/** Allows a site to sign in. */
export function registerSite({ callbackUrls, signOutUrls }: UserPool, siteOrigin: string): void {
  callbackUrls.add(`${siteOrigin}/auth/callback`);
  signOutUrls.add(`${siteOrigin}/`);
}

/** Generates ids and client secrets of pools with these keys. */
export function createPools(keys: LastingState['keys']): LastingState {
  return {
    userPool: {
      id: `${REGION}_${randomText(9, POOL_ID_CHARACTERS)}`,
      clients: {
        rotating: { id: randomText(26), secret: randomText(51) },
        plain: { id: randomText(26), secret: randomText(51) },
        public: { id: randomText(26), secret: null },
      },
    },
    identityPool: { id: `${REGION}:${randomUUID()}` },
    keys,
  };
}

/** Returns the app client with this id. Throws the `AwsError` of the user pools API when there is none. */
export function findClient(id: string, userPool: UserPool): AppClient {
  const client = userPool.findClient(id);
  if (client) return client;
  throw new AwsError('ResourceNotFoundException', `User pool client ${id} does not exist.`);
}

/**
 * Returns whether `secretHash` is the HMAC that an app client with a secret must send for a user.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/signing-up-users-in-your-app.html#cognito-user-pools-computing-secret-hash
 */
export function isSecretHashValid(client: AppClient, username: string, secretHash = ''): boolean {
  if (client.secret === null) return secretHash === '';
  const hmac = createHmac('sha256', client.secret).update(username + client.id);
  return secretHash === hmac.digest('base64');
}
