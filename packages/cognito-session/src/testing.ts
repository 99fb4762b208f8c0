/** For the tests of an app: a session without a sign-in. */
import { randomUUID } from 'node:crypto';
import { parseSetCookie } from 'cookie';
import { createResponseCookies } from './cookies/cookie-jar.ts';
import { type CognitoSessionOptions, toSettings } from './options.ts';
import { SessionCookie } from './session/session-cookie.ts';
import type { Tokens, User } from './user-pool/tokens.ts';

type SealedSession = {
  user: Pick<User, 'sub'> & Partial<User>;
  /** They may be any text: an app's own server does not verify the tokens of its cookies again. */
  tokens?: Partial<Pick<Tokens, 'accessToken' | 'idToken' | 'refreshToken'>>;
  /** Seconds until the tokens expire. The default is 3600. With 0, the next request refreshes them. */
  expiresIn?: number;
};

/**
 * Returns the `Cookie` header of a signed-in visitor, for an app with the same `options`. Rejects with a `RangeError` if
 * the tokens are too long for cookies.
 */
export async function sealSession(
  options: CognitoSessionOptions,
  { user, tokens, expiresIn = 3600 }: SealedSession,
): Promise<string> {
  const now = Date.now();
  const cookies = createResponseCookies();
  const cookie = new SessionCookie({ env: toSettings(options), clock: () => now });
  await cookie.write(new Request('http://localhost/'), cookies, {
    id: randomUUID(),
    startedAt: now,
    renewedAt: now,
    refreshedAt: now,
    generation: 0,
    tokensExpireAt: now + expiresIn * 1000,
    tokens: {
      ...{ accessToken: 'access-token', idToken: 'id-token', refreshToken: null },
      ...{ deviceKey: null, clockDrift: 0 },
      ...tokens,
    },
    user: { email: null, name: null, groups: [], ...user },
  });
  const pairs = cookies.lines().map((line) => parseSetCookie(line, { decode: (value) => value }));
  return pairs.map(({ name, value }) => `${name}=${value}`).join('; ');
}
