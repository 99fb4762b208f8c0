import { describe, expect, it } from 'vitest';
import { requireSession } from '../../../../app/server/rendering/require-session.ts';
import type { Session } from '../../../../app/server/session/session.ts';

const signedIn: Session = {
  state: 'signed-in',
  id: 'a',
  user: { sub: 'sub', email: null, name: null },
  tokens: { accessToken: 'a', idToken: null, refreshToken: null, deviceKey: null, clockDrift: 0 },
};

/** Returns the session, or the response that is thrown. */
function outcomeOf(session: Session, isDataRequest: boolean): unknown {
  try {
    return requireSession({ session, isDataRequest, target: '/fr/profile?a=b' });
  } catch (thrown) {
    return thrown;
  }
}

describe('a loader or an action that needs a session', () => {
  it('gets that of a signed-in visitor', () => {
    expect(outcomeOf(signedIn, true)).toBe(signedIn);
  });

  it.each(['anonymous', 'ended'] as const)(
    'redirects the document of a visitor who is %s to the sign-in',
    (state) => {
      const response = outcomeOf({ state }, false) as Response;
      expect([response.status, response.headers.get('location')]).toEqual([
        302,
        '/auth/sign-in?returnTo=%2Ffr%2Fprofile%3Fa%3Db',
      ]);
    },
  );

  it('rejects client-side code of other visitors with 401', () => {
    expect(outcomeOf({ state: 'anonymous' }, true)).toMatchObject({ status: 401 });
  });
});
