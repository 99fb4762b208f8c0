/**
 * The identity pool. It issues identities and temporary AWS credentials, in the enhanced authentication flow.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authentication-flow.html
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AwsError, createAwsJsonService } from '../http/aws-json.ts';
import type { Clock, Handler } from '../http/exchange.ts';
import { type Role, type Roles, roleForToken } from '../infra/roles.ts';
import type { OnSecret } from '../issued-secrets.ts';
import type { AccessKey } from '../sigv4/signature.ts';
import { randomText } from '../storage/secrets.ts';
import type { Store } from '../storage/store.ts';
import { type IdClaims, TokenError, type Tokens } from '../user-pool/tokens.ts';
import { REGION } from '../user-pool/user-pool.ts';

/** The service name in `X-Amz-Target`. */
export const IDENTITY_POOL_SERVICE = 'AWSCognitoIdentityService';

/** Temporary AWS credentials with the identity that they were issued to. */
export type IdentityKey = AccessKey & {
  identityId: string;
  /** The user, or null for the credentials of a guest. */
  sub: string | null;
  role: Role;
};

/** By access key id. They are not stored, so they are not valid after a restart. */
export type IdentityKeys = Map<string, IdentityKey>;

export type IdentityPoolDeps = {
  store: Store;
  /** The accepted keys of `Logins`: the names of the user pool. */
  providerNames: readonly string[];
  /** Whether requests without `Logins` are allowed. */
  allowGuests: boolean;
  accessKeys: IdentityKeys;
  verifyIdToken: Tokens['verifyIdToken'];
  roles: Roles;
  clock: Clock;
  onSecret: OnSecret;
};

const CREDENTIALS_SECONDS = 3_600;
const KEY_ID_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const identityId = z.string().regex(/^[\w-]+:[0-9a-f-]+$/);
const logins = z
  .record(z.string().min(1).max(128), z.string().min(1).max(50_000))
  .nullish()
  .transform((given) => Object.entries(given ?? {}));
const getIdInput = z.object({ IdentityPoolId: identityId, Logins: logins });
const getCredentialsInput = z.object({
  IdentityId: identityId,
  Logins: logins,
  CustomRoleArn: z.string().optional(),
});

/**
 * Returns a handler for `GetId` and `GetCredentialsForIdentity`, with AWS's errors.
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/API_GetId.html
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/API_GetCredentialsForIdentity.html
 */
export function createIdentityPool(deps: IdentityPoolDeps): Handler {
  return createAwsJsonService(IDENTITY_POOL_SERVICE, {
    async GetId(body) {
      const { IdentityPoolId, Logins } = getIdInput.parse(body);
      if (IdentityPoolId !== deps.store.state.identityPool.id) {
        throw new AwsError('ResourceNotFoundException', `IdentityPool '${IdentityPoolId}' not found.`);
      }
      const sub = (await verifyLogin(Logins, deps))?.sub ?? null;
      return { IdentityId: (sub !== null && identityOf(sub, deps.store)) || addIdentity(sub, deps.store) };
    },
    async GetCredentialsForIdentity(body) {
      const { IdentityId, Logins, CustomRoleArn } = getCredentialsInput.parse(body);
      const claims = await verifyLogin(Logins, deps);
      const sub = claims?.sub ?? null;
      const id = resolveIdentity(IdentityId, sub, deps.store);
      const role = roleFor(claims, CustomRoleArn, deps);
      const { accessKeyId, secretAccessKey, sessionToken, expiration } = issueKey(id, sub, role, deps);
      return {
        IdentityId: id,
        Credentials: {
          AccessKeyId: accessKeyId,
          SecretKey: secretAccessKey,
          SessionToken: sessionToken,
          Expiration: expiration / 1000,
        },
      };
    },
  });
}

/** Returns the claims of the ID token in `Logins`, or null for a guest. Throws `AwsError`. */
async function verifyLogin(
  given: readonly [string, string][],
  { providerNames, allowGuests, verifyIdToken, clock }: IdentityPoolDeps,
): Promise<IdClaims | null> {
  const [login, ...others] = given;
  if (!login) {
    if (allowGuests) return null;
    throw notAuthorized('Unauthenticated access is not supported for this identity pool.');
  }
  const [provider, token] = login;
  if (others.length > 0 || !providerNames.includes(provider)) {
    throw notAuthorized('Token is not from a supported provider of this identity pool.');
  }
  try {
    return await verifyIdToken(token);
  } catch (error) {
    if (error instanceof TokenError) throw notAuthorized(describeTokenError(error, clock()));
    throw error;
  }
}

/** Returns the role of a caller with these claims, or of a guest. Throws `AwsError`. */
function roleFor(
  claims: IdClaims | null,
  customRoleArn: string | undefined,
  { roles, providerNames }: IdentityPoolDeps,
): Role {
  const arn = claims === null ? roles.guest : roleForToken(claims, customRoleArn, roles);
  const role = arn === null ? undefined : roles.byArn.get(arn);
  if (role) return role;
  throw notAuthorized(
    claims === null
      ? 'Unauthenticated access is not supported for this identity pool.'
      : `The ambiguous role mapping rules for: ${providerNames[0]}:${claims.aud} denied this request`,
  );
}

/** Returns the identity of a user, which is the first one that belongs to the user. */
function identityOf(sub: string, { state }: Store): string | undefined {
  return Object.entries(state.identityOwners).find(([, owner]) => owner === sub)?.[0];
}

function addIdentity(sub: string | null, store: Store, id = `${REGION}:${randomUUID()}`): string {
  store.state.identityOwners[id] = sub;
  store.save();
  return id;
}

/**
 * Returns the identity to issue credentials for. The identity of a guest becomes the user's when the request contains a
 * login, or an alias of the identity that the user has already. Throws `AwsError`.
 */
function resolveIdentity(id: string, sub: string | null, store: Store): string {
  const { identityOwners } = store.state;
  const owner = Object.hasOwn(identityOwners, id) ? identityOwners[id] : undefined;
  if (owner === undefined) throw new AwsError('ResourceNotFoundException', `Identity '${id}' not found.`);
  if (sub === null) {
    if (owner === null) return id;
    throw notAuthorized(`Access to Identity '${id}' is forbidden.`);
  }
  if (owner === null) {
    // At the end of the object, it comes after the identity that the user may have.
    delete identityOwners[id];
    addIdentity(sub, store, id);
  } else if (owner !== sub) {
    throw notAuthorized(
      "Logins don't match. Please include at least one valid login for this identity or identity pool.",
    );
  }
  return identityOf(sub, store) ?? id;
}

/**
 * Issues credentials in the format of the AWS Security Token Service. They expire after a whole number of seconds, as the
 * API returns.
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/API_Credentials.html
 */
function issueKey(
  id: string,
  sub: string | null,
  role: Role,
  { accessKeys, clock, onSecret }: IdentityPoolDeps,
): IdentityKey {
  const key: IdentityKey = {
    accessKeyId: `ASIA${randomText(16, KEY_ID_ALPHABET)}`,
    secretAccessKey: randomBytes(30).toString('base64'),
    // The usual start and size of a session token.
    sessionToken: `IQoJb3JpZ2luX2Vj${randomBytes(900).toString('base64')}`,
    expiration: (Math.floor(clock() / 1000) + CREDENTIALS_SECONDS) * 1000,
    identityId: id,
    sub,
    role,
  };
  onSecret('AWS access key id', key.accessKeyId);
  onSecret('AWS secret key', key.secretAccessKey);
  onSecret('AWS session token', key.sessionToken);
  accessKeys.set(key.accessKeyId, key);
  return key;
}

function describeTokenError({ reason, expiresAt }: TokenError, now: number): string {
  switch (reason) {
    case 'expired':
      return `Invalid login token. Token expired: ${Math.floor(now / 1000)} >= ${expiresAt}`;
    case 'wrong-client':
      return 'Invalid login token. Incorrect token audience.';
    case 'wrong-signature':
      return "Invalid login token. Couldn't verify signed token.";
    case 'revoked':
      return 'Token is inactive';
    case 'invalid':
      return 'Invalid login token. Not a valid OpenId Connect identity token.';
  }
}

function notAuthorized(message: string): AwsError {
  return new AwsError('NotAuthorizedException', message);
}
