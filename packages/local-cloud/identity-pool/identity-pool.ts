/**
 * The identity pool. It issues identities and temporary AWS credentials, in the enhanced authentication flow.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/authentication-flow.html
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/
 */
import { z } from 'zod';
import { AwsError, createAwsJsonService } from '../http/aws-json.ts';
import type { Clock, Handler } from '../http/exchange.ts';
import { TokenError, type Tokens } from '../user-pool/tokens.ts';
import type { AccessKeys } from './access-keys.ts';
import type { Identities, Identity } from './identities.ts';

/** The service name in `X-Amz-Target`. */
export const IDENTITY_POOL_SERVICE = 'AWSCognitoIdentityService';

export type IdentityPoolDeps = {
  /** `{region}:{uuid}` */
  id: string;
  /** The accepted keys of `Logins`: the names of the user pool. */
  providerNames: readonly string[];
  /** Whether requests without `Logins` are allowed. */
  allowGuests: boolean;
  identities: Identities;
  accessKeys: AccessKeys;
  verifyIdToken: Tokens['verifyIdToken'];
  clock: Clock;
};

const identityId = z.string().regex(/^[\w-]+:[0-9a-f-]+$/);
const logins = z
  .record(z.string().min(1).max(128), z.string().min(1).max(50_000))
  .refine((given) => Object.keys(given).length <= 10)
  .nullish()
  .transform((given) => given ?? {});

const getIdInput = z.object({ IdentityPoolId: identityId, Logins: logins });
const getCredentialsInput = z.object({ IdentityId: identityId, Logins: logins });

/**
 * Returns a handler for `GetId` and `GetCredentialsForIdentity`, with AWS's errors.
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/API_GetId.html
 * https://docs.aws.amazon.com/cognitoidentity/latest/APIReference/API_GetCredentialsForIdentity.html
 */
export function createIdentityPool(deps: IdentityPoolDeps): Handler {
  const { id, identities, accessKeys } = deps;
  return createAwsJsonService(IDENTITY_POOL_SERVICE, {
    async GetId(body) {
      const input = getIdInput.parse(body);
      if (input.IdentityPoolId !== id) {
        throw new AwsError('ResourceNotFoundException', `IdentityPool '${input.IdentityPoolId}' not found.`);
      }
      const sub = await userOf(input.Logins, deps);
      const identity = sub === null ? identities.createGuest() : identities.ofUser(sub);
      return { IdentityId: identity.id };
    },

    async GetCredentialsForIdentity(body) {
      const input = getCredentialsInput.parse(body);
      const sub = await userOf(input.Logins, deps);
      const identity = identityFor(input.IdentityId, sub, identities);
      const key = accessKeys.issue(identity.id, sub);
      return {
        IdentityId: identity.id,
        Credentials: {
          AccessKeyId: key.accessKeyId,
          SecretKey: key.secretAccessKey,
          SessionToken: key.sessionToken,
          Expiration: key.expiration / 1000,
        },
      };
    },
  });
}

/** Returns the user of the ID token in `Logins`, or null for a guest. Throws `AwsError`. */
async function userOf(
  given: Record<string, string>,
  { providerNames, allowGuests, verifyIdToken, clock }: IdentityPoolDeps,
): Promise<string | null> {
  const providers = Object.keys(given);
  if (providers.length === 0) {
    if (allowGuests) return null;
    throw notAuthorized('Unauthenticated access is not supported for this identity pool.');
  }
  const [provider = ''] = providers;
  const token = given[provider];
  if (token === undefined || providers.length > 1 || !providerNames.includes(provider)) {
    throw notAuthorized('Token is not from a supported provider of this identity pool.');
  }
  try {
    return (await verifyIdToken(token)).sub;
  } catch (error) {
    if (error instanceof TokenError) throw notAuthorized(describeTokenError(error, clock()));
    throw error;
  }
}

/**
 * Returns the identity to issue credentials for. The identity of a guest is linked to the user when the request
 * contains a login. Throws `AwsError`.
 */
function identityFor(id: string, sub: string | null, identities: Identities): Identity {
  const identity = identities.find(id);
  if (!identity) throw new AwsError('ResourceNotFoundException', `Identity '${id}' not found.`);
  if (identity.sub === sub) return identity;
  if (sub === null) throw notAuthorized(`Access to Identity '${id}' is forbidden.`);
  if (identity.sub === null) return identities.link(identity, sub);
  throw notAuthorized(
    "Logins don't match. Please include at least one valid login for this identity or identity pool.",
  );
}

function describeTokenError({ reason, expiresAt }: TokenError, now: number): string {
  switch (reason) {
    case 'expired':
      return `Invalid login token. Token expired: ${Math.floor(now / 1000)} >= ${expiresAt}`;
    case 'wrong-client':
      return 'Invalid login token. Incorrect token audience.';
    case 'wrong-issuer':
      return "Invalid login token. Issuer doesn't match providerName";
    case 'wrong-signature':
      return "Invalid login token. Couldn't verify signed token.";
    case 'revoked':
      return 'Token is inactive';
    case 'malformed':
    case 'wrong-use':
      return 'Invalid login token. Not a valid OpenId Connect identity token.';
  }
}

function notAuthorized(message: string): AwsError {
  return new AwsError('NotAuthorizedException', message);
}
