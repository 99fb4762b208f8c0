/** Opens the session cookies of the sites that run here. */
import { SessionCookie } from '../../../app/server/session/session-cookie.ts';

/** The session secret of these sites. */
export const SESSION_SECRET = 'm4Wd8sQz1RxK7vNbT3hYc9LpJf6GuE2a';

export const sessionCookies = new SessionCookie({
  env: {
    session: {
      secrets: [SESSION_SECRET],
      secure: false,
      sameSite: 'lax',
      maxAge: 365 * 86_400,
      maxIdle: 30 * 86_400,
      recheckAfter: null,
    },
  },
  clock: Date.now,
});
