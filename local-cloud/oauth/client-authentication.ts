import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type CloudReply, type CloudRequest, json } from '../http/exchange.ts';
import type { AppClient, UserPool } from '../user-pool/user-pool.ts';

/** Scripts of any origin may call Cognito's token, revocation and user info endpoints. */
export const anyOrigin = { 'access-control-allow-origin': '*' };

/** An error in the body, as RFC 6749 section 5.2 has it. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';

  constructor(
    readonly error: string,
    readonly status = 400,
  ) {
    super(error);
  }
}

/** The reply that says what an `OAuthError` says. */
export function oauthErrorReply(error: string, status = 400): CloudReply {
  return json(status, { error }, anyOrigin);
}

/**
 * The client that a request's HTTP Basic credentials or form fields name, once it has proved its secret (RFC 6749
 * section 2.3.1); a public client has none to prove. Throws `OAuthError`.
 */
export function authenticateClient(
  request: CloudRequest,
  form: URLSearchParams,
  userPool: UserPool,
  status = 400,
): AppClient {
  const basic = basicCredentials(request.headers.authorization);
  const id = basic?.id ?? form.get('client_id');
  const secret = basic?.secret ?? form.get('client_secret');
  if (basic && form.has('client_secret')) throw new OAuthError('invalid_request');
  if (basic && (form.get('client_id') ?? basic.id) !== basic.id) throw new OAuthError('invalid_request');
  const client = userPool.client(id ?? '');
  if (!client || !provesSecret(client, secret)) throw new OAuthError('invalid_client', status);
  return client;
}

/** Whether `secret` is the client's; null is the secret of a public client. */
export function provesSecret(client: AppClient, secret: string | null): boolean {
  if (client.secret === null) return secret === null;
  return secret !== null && equalTexts(secret, client.secret);
}

/**
 * Whether `secretHash` is what a client with a secret has to show for a user.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/signing-up-users-in-your-app.html#cognito-user-pools-computing-secret-hash
 */
export function provesSecretHash(
  client: AppClient,
  username: string,
  secretHash: string | undefined,
): boolean {
  if (client.secret === null) return secretHash === undefined;
  const expected = createHmac('sha256', client.secret)
    .update(username + client.id)
    .digest('base64');
  return secretHash !== undefined && equalTexts(secretHash, expected);
}

function basicCredentials(authorization: string | undefined): { id: string; secret: string } | null {
  const encoded = /^basic\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(/:(.*)/s);
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
  } catch {
    throw new OAuthError('invalid_client');
  }
}

function equalTexts(left: string, right: string): boolean {
  // Digests have one length, which `timingSafeEqual` asks for.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
