/** Who calls the data API: the holder of signed requests or of a user pool's token. */
import { decodeJwt } from 'jose';
import type { Clock, CloudRequest } from '../http/exchange.ts';
import type { AccessKeys } from '../identity-pool/access-keys.ts';
import { SignatureError, verifySignature } from '../sigv4/sigv4-verifier.ts';
import { TokenError, type Tokens } from '../user-pool/tokens.ts';
import type { Caller } from './api-schema.ts';
import { RequestRefusal } from './appsync-errors.ts';

export type CallerDependencies = {
  region: string;
  clock: Clock;
  accessKeys: Pick<AccessKeys, 'find'>;
  tokens: Pick<Tokens, 'verifyIdToken' | 'verifyAccessToken'>;
};

const SERVICE = 'appsync';

/**
 * The caller that the `Authorization` header proves: by Signature Version 4, or by an ID or access token, with or
 * without "Bearer". Throws `RequestRefusal`, 401 for tokens and 403 for signatures.
 * https://docs.aws.amazon.com/appsync/latest/devguide/security-authz.html
 */
export async function identifyCaller(
  request: CloudRequest,
  dependencies: CallerDependencies,
): Promise<Caller> {
  const { authorization } = request.headers;
  if (!authorization) throw unauthorized('Valid authorization header not provided.');
  return authorization.startsWith('AWS4-')
    ? signer(request, dependencies)
    : bearer(authorization.replace(/^Bearer +/i, ''), dependencies);
}

function signer(request: CloudRequest, { region, clock, accessKeys }: CallerDependencies): Caller {
  try {
    const { sub } = verifySignature(request, {
      region,
      service: SERVICE,
      now: clock(),
      accessKey: accessKeys.find,
    });
    return { mode: 'iam', sub };
  } catch (error) {
    if (error instanceof SignatureError) throw new RequestRefusal(403, error.type, error.message);
    throw error;
  }
}

async function bearer(token: string, { tokens }: CallerDependencies): Promise<Caller> {
  try {
    const { sub } = await (tokenUse(token) === 'id'
      ? tokens.verifyIdToken(token)
      : tokens.verifyAccessToken(token));
    return { mode: 'userPool', sub };
  } catch (error) {
    if (error instanceof TokenError) {
      throw unauthorized(
        error.reason === 'expired' ? 'Token has expired.' : 'You are not authorized to make this call.',
      );
    }
    throw error;
  }
}

/** Only says which verification the token has to pass. */
function tokenUse(token: string): unknown {
  try {
    return decodeJwt(token).token_use;
  } catch {
    throw unauthorized('Unable to parse JWT token.');
  }
}

function unauthorized(message: string): RequestRefusal {
  return new RequestRefusal(401, 'UnauthorizedException', message);
}
