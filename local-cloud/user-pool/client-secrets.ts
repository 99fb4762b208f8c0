import { createHmac } from 'node:crypto';
import { equalInConstantTime } from '../storage/secrets.ts';
import type { AppClient } from './user-pool.ts';

/** Returns whether `secret` is the app client's secret. A public client has none, so only null is correct for it. */
export function isClientSecretValid(client: AppClient, secret: string | null): boolean {
  if (client.secret === null) return secret === null;
  return secret !== null && equalInConstantTime(secret, client.secret);
}

/**
 * Returns whether `secretHash` is the HMAC that an app client with a secret must send for a user. A public client must
 * not send one.
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
