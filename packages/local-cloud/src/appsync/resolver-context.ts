/**
 * The context that AppSync gives to resolvers.
 * https://docs.aws.amazon.com/appsync/latest/devguide/resolver-context-reference-js.html
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { IdentityKey } from '../identity-pool/identity-pool.ts';
import { ACCOUNT_ID } from '../infra/roles.ts';
import type { AccessClaims, IdClaims } from '../user-pool/tokens.ts';

/** The caller of a request with a token of the user pool. */
type UserPoolIdentity = {
  sub: string;
  issuer: string;
  username: string;
  claims: Record<string, unknown>;
  sourceIp: string[];
  defaultAuthStrategy: string;
  /** The groups of the user, or null for none. */
  groups: readonly string[] | null;
};

/** The caller of a request that is signed with credentials of the identity pool. */
type IamIdentity = {
  accountId: string;
  cognitoIdentityPoolId: string;
  cognitoIdentityId: string;
  sourceIp: string[];
  username: string;
  userArn: string;
  cognitoIdentityAuthType: 'authenticated' | 'unauthenticated';
  /** Null for guests. */
  cognitoIdentityAuthProvider: string | null;
};

export type CallerIdentity = UserPoolIdentity | IamIdentity;

export type FieldInfo = {
  parentTypeName: string;
  fieldName: string;
  variables: Record<string, unknown>;
};

/** What a data source returns. `error` is set when it has rejected the request. */
export type DataSourceOutcome = { result: unknown; error?: { type: string; message: string } };

export type ResolverContext = {
  arguments: Record<string, unknown>;
  args: Record<string, unknown>;
  identity: CallerIdentity;
  /** Values that the request function passes to the response function. */
  stash: Record<string, unknown>;
  /** The result of the function before this one in a pipeline, or null in a unit resolver. */
  prev: { result: unknown } | null;
  /** The object that the field belongs to, or null for `Query` and `Mutation`. */
  source: unknown;
  /** The variables that the template gives to the API. */
  env: Record<string, string>;
  info: FieldInfo;
  request: { headers: IncomingHttpHeaders; domainName: null };
} & Partial<DataSourceOutcome>;

const LOOPBACK = ['127.0.0.1'];

/** Returns the identity of a caller with a token of the user pool. */
export function userPoolIdentity(claims: IdClaims | AccessClaims): UserPoolIdentity {
  return {
    sub: claims.sub,
    issuer: claims.iss,
    username: claims.sub,
    claims,
    sourceIp: LOOPBACK,
    defaultAuthStrategy: 'ALLOW',
    groups: claims['cognito:groups'],
  };
}

/** Returns the groups of a caller. A signed request has none: its role says what it may do. */
export function groupsOf(identity: CallerIdentity): readonly string[] {
  return ('groups' in identity && identity.groups) || [];
}

export type Signer = Pick<IdentityKey, 'accessKeyId' | 'identityId' | 'sub'> & { role: { arn: string } };

/** Returns the identity of a caller with credentials of the identity pool. `providerName` is the user pool's. */
export function iamIdentity(
  { accessKeyId, identityId, sub, role }: Signer,
  { identityPoolId, providerName }: { identityPoolId: string; providerName: string },
): IamIdentity {
  return {
    accountId: ACCOUNT_ID,
    cognitoIdentityPoolId: identityPoolId,
    cognitoIdentityId: identityId,
    sourceIp: LOOPBACK,
    username: `${accessKeyId}:CognitoIdentityCredentials`,
    userArn: `${role.arn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/CognitoIdentityCredentials`,
    cognitoIdentityAuthType: sub === null ? 'unauthenticated' : 'authenticated',
    cognitoIdentityAuthProvider:
      sub === null ? null : `"${providerName}","${providerName}:CognitoSignIn:${sub}"`,
  };
}
