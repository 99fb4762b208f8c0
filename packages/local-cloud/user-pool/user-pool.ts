import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { AwsError } from '../http/aws-json.ts';
import { equalInConstantTime, randomText } from '../storage/secrets.ts';
import type { Store } from '../storage/store.ts';

/** The AWS region of the user pool, the identity pool and the data API. */
export const REGION = 'us-east-1';

/**
 * The app clients of the user pool: `rotating` rotates refresh tokens, `plain` does not, and `public` rotates them
 * and has no secret.
 */
const clientKinds = ['rotating', 'plain', 'public'] as const;
export type ClientKind = (typeof clientKinds)[number];

export type AppClient = {
  kind: ClientKind;
  id: string;
  /** Null for a public client. */
  secret: string | null;
  rotatesRefreshTokens: boolean;
  callbackUrls: ReadonlySet<string>;
  signOutUrls: ReadonlySet<string>;
};

/** The user pool and its app clients. */
export type UserPool = {
  id: string;
  /** The name of the site, which pages and emails show, or null. */
  siteName: string | null;
  /** The `iss` claim of the tokens. */
  issuer: string;
  /** The user pool's name in the `Logins` of the identity pool. It has AWS's form, unlike the local issuer. */
  providerName: string;
  /** The issuer without its scheme. At AWS it equals `providerName`, and Amplify takes the name from the `iss` claim. */
  issuerName: string;
  /** Returns whether authorization requests without PKCE are rejected. */
  requiresPkce: () => boolean;
  /** Registers the callback URL `{origin}/auth/callback` and the sign-out URL `{origin}/` for every app client. */
  registerSite(siteOrigin: string): void;
  findClient(id: string): AppClient | undefined;
  clientOf(kind: ClientKind): AppClient;
};

/** The scope of access tokens that may call `GetUser` and `GlobalSignOut`. */
export const USER_ADMIN_SCOPE = 'aws.cognito.signin.user.admin';

/** The scopes that every app client allows. Tokens list them in this order. */
export const ALLOWED_SCOPES = ['openid', 'email', 'profile', USER_ADMIN_SCOPE] as const;

const POOL_ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

const schema = z.object({
  id: z.string(),
  clients: z.record(z.enum(clientKinds), z.object({ id: z.string(), secret: z.string().nullable() })),
});

/**
 * Opens the user pool. Ids and secrets are generated on the first run and then kept. `origin` is the local
 * cloud's.
 */
export function openUserPool(
  store: Store,
  origin: string,
  requiresPkce: () => boolean = () => false,
  siteName: string | null = null,
): UserPool {
  const { value } = store.section({
    name: 'userPool',
    schema,
    initial: generateIds,
    survivesReset: true,
  });
  const callbackUrls = new Set<string>();
  const signOutUrls = new Set<string>();
  const clientOf = (kind: ClientKind): AppClient => ({
    kind,
    ...value.clients[kind],
    rotatesRefreshTokens: kind !== 'plain',
    callbackUrls,
    signOutUrls,
  });
  return {
    id: value.id,
    siteName,
    issuer: `${origin}/${value.id}`,
    providerName: `cognito-idp.${REGION}.amazonaws.com/${value.id}`,
    issuerName: `${new URL(origin).host}/${value.id}`,
    requiresPkce,
    registerSite(siteOrigin) {
      callbackUrls.add(`${siteOrigin}/auth/callback`);
      signOutUrls.add(`${siteOrigin}/`);
    },
    findClient(id) {
      const kind = clientKinds.find((candidate) => value.clients[candidate].id === id);
      return kind && clientOf(kind);
    },
    clientOf,
  };
}

function generateIds(): z.infer<typeof schema> {
  return {
    id: `${REGION}_${randomText(9, POOL_ID_CHARACTERS)}`,
    clients: {
      rotating: { id: randomText(26), secret: randomText(51) },
      plain: { id: randomText(26), secret: randomText(51) },
      public: { id: randomText(26), secret: null },
    },
  };
}

/** Returns the app client with this id. Throws the `AwsError` of the user pools API when there is none. */
export function findClient(id: string, userPool: UserPool): AppClient {
  const client = userPool.findClient(id);
  if (client) return client;
  throw new AwsError('ResourceNotFoundException', `User pool client ${id} does not exist.`);
}

/**
 * Returns whether `secret` is the app client's secret. A public client has none, so only null is correct for it.
 */
export function isClientSecretValid(client: AppClient, secret: string | null): boolean {
  if (client.secret === null) return secret === null;
  return secret !== null && equalInConstantTime(secret, client.secret);
}

/**
 * Returns whether `secretHash` is the HMAC that an app client with a secret must send for a user. A public client
 * must not send one.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/signing-up-users-in-your-app.html#cognito-user-pools-computing-secret-hash
 */
export function isSecretHashValid(
  client: AppClient,
  username: string,
  secretHash: string | undefined,
): boolean {
  if (client.secret === null) return secretHash === undefined;
  const expected = createHmac('sha256', client.secret)
    .update(username + client.id)
    .digest('base64');
  return secretHash !== undefined && equalInConstantTime(secretHash, expected);
}
