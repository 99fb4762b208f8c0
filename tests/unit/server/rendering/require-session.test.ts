import { describe, expect, it } from 'vitest';
import { requireSession } from '../../../../app/server/rendering/require-session.ts';
import type { Session } from '../../../../packages/cognito-session/src/session/session.ts';
import { createLog } from '../../../../packages/site-server/src/log/log.ts';

const signedIn: Session = {
  state: 'signed-in',
  id: 'a',
  user: { sub: 'sub', email: null, name: null, groups: [] },
  tokens: { accessToken: 'a', idToken: null, refreshToken: null, deviceKey: null, clockDrift: 0 },
};

/** Returns the session or the response that is thrown, and the lines of the log. */
function requireFrom(session: Session, isDataRequest: boolean) {
  const logged: unknown[] = [];
  const log = createLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
  const context = { session, isDataRequest, target: '/fr/profile?a=b', requestId: 'request-1', log };
  try {
    return { outcome: requireSession(context), logged };
  } catch (thrown) {
    return { outcome: thrown as Response, logged };
  }
}

describe('a loader or an action that needs a session', () => {
  it('gets that of a signed-in visitor', () => {
    expect(requireFrom(signedIn, true)).toEqual({ outcome: signedIn, logged: [] });
  });

  it.each(['anonymous', 'ended'] as const)(
    'redirects the document of a visitor who is %s to the sign-in',
    (state) => {
      const { outcome, logged } = requireFrom({ state }, false);
      expect(outcome).toMatchObject({ status: 302 });
      expect((outcome as Response).headers.get('location')).toBe(
        '/auth/sign-in?returnTo=%2Ffr%2Fprofile%3Fa%3Db',
      );
      expect(logged).toEqual([]);
    },
  );

  it('rejects client-side code of other visitors with 401 and a code, which is logged', async () => {
    const { outcome, logged } = requireFrom({ state: 'anonymous' }, true);
    expect(outcome).toMatchObject({ status: 401 });
    const message = 'Auth session was not found. Make sure to call signIn.';
    expect(await (outcome as Response).json()).toMatchObject({
      detail: message,
      code: 'NoSessionFoundException',
      requestId: 'request-1',
    });
    expect(logged).toMatchObject([
      { level: 'info', requestId: 'request-1', status: 401, code: 'NoSessionFoundException' },
    ]);
  });
});
