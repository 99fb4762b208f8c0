/** Visitors whose tokens have expired, at a scripted user pool that rotates refresh tokens. */
import type { SignedIn } from '../../../packages/cognito-session/src/session/session.ts';
import type { SharedStore } from '../../../packages/cognito-session/src/shared-store/shared-store.ts';
import type { ScriptedResponse, ScriptedUserPool } from '../upstreams/scripted-user-pool.ts';
import type { CookieStore } from './cookie-store.ts';
import { createSessionHarness, type SessionHarness } from './session-harness.ts';

export const HOUR = 60 * 60_000;

/** The user of each refresh token that is still valid. */
export type TokenOwners = Map<string, string>;

const refreshTokenIn = (body: string): string => JSON.parse(body).RefreshToken;

/** Scripts the rotation: each refresh token works once and returns tokens of its own user. */
export function rotate(
  pool: ScriptedUserPool,
  harness: SessionHarness,
  owners: TokenOwners,
  before: () => Promise<void> = async () => {},
): void {
  pool.script({
    revoke: () => ({}),
    api: async ({ body }): Promise<ScriptedResponse> => {
      await before();
      const sub = owners.get(refreshTokenIn(body));
      if (!sub) return { status: 400, body: { __type: 'RefreshTokenReuseException' } };
      owners.delete(refreshTokenIn(body));
      const tokens = await harness.issue({ sub });
      owners.set(tokens.refreshToken, sub);
      return refreshResponse(tokens);
    },
  });
}

/** Returns the response of the user pool to a refresh. */
export function refreshResponse({
  accessToken,
  idToken,
  refreshToken,
}: {
  accessToken: string;
  idToken?: string;
  refreshToken?: string;
}): ScriptedResponse {
  const result = { AccessToken: accessToken, IdToken: idToken, RefreshToken: refreshToken };
  return { body: { AuthenticationResult: result } };
}

/** Scripts an error of the user pool. The app client is accepted: the token endpoint rejects only the token. */
export const failWith = (__type: string, status = 400, message = 'Invalid Refresh Token.') => ({
  api: () => ({ status, body: { __type, message } }),
  token: () => ({ status: 400, body: { error: 'invalid_grant' } }),
});

export async function signInAs(
  harness: SessionHarness,
  sub: string,
  owners: TokenOwners,
): Promise<{ browser: CookieStore; session: SignedIn }> {
  const signedIn = await harness.signIn({ claims: { sub } });
  owners.set(signedIn.session.tokens.refreshToken ?? '', sub);
  return signedIn;
}

/** Signs in, and sets the clock to the time when the tokens expire. */
export async function openDueVisitor(
  pool: ScriptedUserPool,
  openStore?: (clock: () => number) => SharedStore,
) {
  const harness = createSessionHarness(pool, {}, openStore);
  const owners: TokenOwners = new Map();
  const signedIn = await signInAs(harness, 'ada', owners);
  rotate(pool, harness, owners);
  harness.time.now += HOUR;
  return { harness, owners, ...signedIn };
}
