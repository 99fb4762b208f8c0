import { type CloudRequest, type CloudResponse, json } from '../http/exchange.ts';
import { type AppClient, isClientSecretValid, type UserPool } from '../user-pool/user-pool.ts';

/** Cognito's token, revocation and userInfo endpoints allow cross-origin requests (CORS) from every origin. */
export const anyOriginHeaders = { 'access-control-allow-origin': '*' };

/** An error of an OAuth endpoint (RFC 6749 section 5.2). `error` is the error code. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';

  constructor(
    readonly error: string,
    readonly status = 400,
  ) {
    super(error);
  }
}

/** Returns the response for an error code (RFC 6749 section 5.2). */
export function oauthErrorResponse(error: string, status = 400): CloudResponse {
  return json(status, { error }, anyOriginHeaders);
}

/**
 * Returns the app client that the HTTP Basic credentials or the form fields name, after checking its secret (RFC
 * 6749 section 2.3.1). A public client sends only its id. Throws `OAuthError`; `status` is the status of
 * `invalid_client`.
 */
export function authenticateClient(
  request: CloudRequest,
  form: URLSearchParams,
  userPool: UserPool,
  status = 400,
): AppClient {
  const basic = parseBasicCredentials(request.headers.authorization);
  const id = basic?.id ?? form.get('client_id');
  const secret = basic?.secret ?? form.get('client_secret');
  if (basic && form.has('client_secret')) throw new OAuthError('invalid_request');
  if (basic && (form.get('client_id') ?? basic.id) !== basic.id) throw new OAuthError('invalid_request');
  const client = userPool.findClient(id ?? '');
  if (!client || !isClientSecretValid(client, secret)) throw new OAuthError('invalid_client', status);
  return client;
}

function parseBasicCredentials(authorization: string | undefined): { id: string; secret: string } | null {
  const encoded = /^basic\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s);
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
  } catch {
    throw new OAuthError('invalid_client');
  }
}
