import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readCookie, serializeCookie } from '../http/cookies.ts';
import type { Clock, CloudRequest } from '../http/exchange.ts';
import type { Store } from '../storage/store.ts';

const COOKIE = 'cognito';
const LIFETIME_MS = 60 * 60 * 1000;

const sessionSchema = z.object({
  sub: z.string(),
  email: z.string(),
  authTime: z.number(),
  expiresAt: z.number(),
});

export type BrowserSession = z.infer<typeof sessionSchema>;

export type BrowserSessions = {
  of(request: CloudRequest): BrowserSession | null;
  /** Signs a user in here and answers the session with its `Set-Cookie`. */
  start(user: { sub: string; email: string }): { session: BrowserSession; cookie: string };
  /** Ends the request's session and answers the `Set-Cookie` that takes the cookie away. */
  end(request: CloudRequest): string;
};

/**
 * Who is signed in at the hosted login: one hour, which use does not lengthen.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */
export function openBrowserSessions(store: Store, { clock }: { clock: Clock }): BrowserSessions {
  const section = store.section({
    name: 'browserSessions',
    schema: z.record(z.string(), sessionSchema),
    initial: () => ({}),
  });
  return {
    of(request) {
      const id = readCookie(request, COOKIE);
      const session = id ? section.value[hashOf(id)] : undefined;
      return session && session.expiresAt > clock() ? session : null;
    },
    start({ sub, email }) {
      const id = randomBytes(32).toString('base64url');
      const session = { sub, email, authTime: Math.floor(clock() / 1000), expiresAt: clock() + LIFETIME_MS };
      section.change((sessions) => {
        for (const [key, { expiresAt }] of Object.entries(sessions)) {
          if (expiresAt <= clock()) delete sessions[key];
        }
        sessions[hashOf(id)] = session;
      });
      return { session, cookie: serializeCookie(COOKIE, id, { maxAge: LIFETIME_MS / 1000 }) };
    },
    end(request) {
      const id = readCookie(request, COOKIE);
      if (id) section.change((sessions) => delete sessions[hashOf(id)]);
      return serializeCookie(COOKIE, '', { maxAge: 0 });
    },
  };
}

function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
