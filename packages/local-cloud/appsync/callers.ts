import { decodeJwt } from 'jose';
import type { Clock, CloudRequest } from '../http/exchange.ts';
import type { AccessKeys } from '../identity-pool/access-keys.ts';
import { SignatureError } from '../sigv4/signature-headers.ts';
import { verifySignature } from '../sigv4/sigv4-verifier.ts';
import { TokenError, type Tokens } from '../user-pool/tokens.ts';
import type { Caller } from './api-schema.ts';
import { RequestError } from './appsync-errors.ts';
import { iamIdentity, userPoolIdentity } from './resolver-context.ts';

export type CallerDeps = {
  region: string;
  clock: Clock;
  accessKeys: Pick<AccessKeys, 'find'>;
  tokens: Pick<Tokens, 'verifyIdToken' | 'verifyAccessToken'>;
  identityPoolId: string;
  /** The user pool's name in the identity pool. */
  providerName: string;
};

const SERVICE = 'appsync';

/**
 * Returns the caller of the data API. The `Authorization` header contains a Signature Version 4, or an ID token or
 * access token with or without the prefix "Bearer". Throws `RequestError` with status 401 for tokens and 403 for
 * signatures.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 */
export async function identifyCaller(request: CloudRequest, deps: CallerDeps): Promise<Caller> {
  const { authorization } = request.headers;
  if (!authorization) throw unauthorized('Valid authorization header not provided.');
  return authorization.startsWith('AWS4-')
    ? identifySigner(request, deps)
    : identifyTokenOwner(request, authorization.replace(/^Bearer +/i, ''), deps);
}

function identifySigner(request: CloudRequest, deps: CallerDeps): Caller {
  try {
    const key = verifySignature(request, {
      region: deps.region,
      service: SERVICE,
      now: deps.clock(),
      findAccessKey: deps.accessKeys.find,
    });
    return { mode: 'iam', sub: key.sub, identity: iamIdentity(key, deps), headers: request.headers };
  } catch (error) {
    if (error instanceof SignatureError) throw new RequestError(403, error.type, error.message);
    throw error;
  }
}

async function identifyTokenOwner(
  { headers }: CloudRequest,
  token: string,
  { tokens }: CallerDeps,
): Promise<Caller> {
  try {
    const claims = await (readTokenUse(token) === 'id'
      ? tokens.verifyIdToken(token)
      : tokens.verifyAccessToken(token));
    return { mode: 'userPool', sub: claims.sub, identity: userPoolIdentity(claims), headers };
  } catch (error) {
    if (error instanceof TokenError) {
      throw unauthorized(
        error.reason === 'expired' ? 'Token has expired.' : 'You are not authorized to make this call.',
      );
    }
    throw error;
  }
}

/** Returns the unverified `token_use` claim. It only selects the verification that follows. */
function readTokenUse(token: string): unknown {
  try {
    return decodeJwt(token).token_use;
  } catch {
    throw unauthorized('Unable to parse JWT token.');
  }
}

function unauthorized(message: string): RequestError {
  return new RequestError(401, 'UnauthorizedException', message);
}
