/** The session module of one process with a scripted user pool, without HTTP in front of it. */
import type { Env } from '../../../app/server/config/env.ts';
import { noMetrics } from '../../../app/server/metrics/metrics.ts';
import { createResponseCookies } from '../../../packages/cognito-session/src/cookies/cookie-jar.ts';
import type { Revocation } from '../../../packages/cognito-session/src/session/closed-sessions.ts';
import {
  type Session,
  Sessions,
  type SignedIn,
} from '../../../packages/cognito-session/src/session/session.ts';
import { createInMemoryStore } from '../../../packages/cognito-session/src/shared-store/in-memory-store.ts';
import type { SharedStore } from '../../../packages/cognito-session/src/shared-store/shared-store.ts';
import { createTokenVerifier } from '../../../packages/cognito-session/src/user-pool/token-verifier.ts';
import { createUserPoolClient } from '../../../packages/cognito-session/src/user-pool/user-pool-client.ts';
import { createLog } from '../../../packages/site-server/src/log/log.ts';
import {
  type Claims,
  claimsIssuedAt,
  createRefreshToken,
  type ScriptedUserPool,
} from '../upstreams/scripted-user-pool.ts';
import { type CookieStore, createCookieStore } from './cookie-store.ts';

const DAY = 86_400;

export const sessionEnv: Env['session'] = {
  namespace: 'tenfold',
  secrets: ['first-9f3kd02mzQpwL4vX8hTyRu6BnCsEaJg'],
  secure: true,
  sameSite: 'lax',
  maxAge: 365 * DAY,
  maxIdle: 30 * DAY,
  recheckAfter: null,
};

type LogLine = { level: string; msg: string; session?: string; fix?: string; err?: { code?: string } };

export type SessionHarness = ReturnType<typeof createSessionHarness>;

/** Creates the sessions of one process. The test sets their clock through `time.now`. */
export function createSessionHarness(
  pool: ScriptedUserPool,
  changes: Partial<Env['session']> = {},
  openStore: (clock: () => number) => SharedStore = createInMemoryStore,
) {
  const time = { now: Date.now() };
  const clock = () => time.now;
  const logged: LogLine[] = [];
  const log = createLog('info', { write: (line) => void logged.push(JSON.parse(line)) });
  const refreshes: string[] = [];
  const metrics = { ...noMetrics, refreshEnded: (outcome: string) => void refreshes.push(outcome) };
  const userPool = pool.userPool();
  const verifier = createTokenVerifier({ env: { userPool }, clock });
  const userPoolClient = createUserPoolClient({ env: { userPool }, clock, log });
  const env = { session: { ...sessionEnv, ...changes } };
  const store = openStore(clock);
  const sessions = new Sessions({ env, userPoolClient, verifier, store, clock, log, metrics });

  return {
    time,
    sessions,
    /** The lines of the log. */
    logged,
    /** How the refreshes ended, as the metrics count them. */
    refreshes,
    /** Returns newly issued tokens. */
    async issue(claims: Claims = {}) {
      const issued = claimsIssuedAt(time.now, claims);
      const [accessToken, idToken] = [await pool.accessToken(issued), await pool.idToken(issued)];
      return { accessToken, idToken, refreshToken: createRefreshToken() };
    },
    /** Starts a session for newly issued tokens in a browser. */
    async signIn(
      {
        claims,
        refreshable = true,
        previous,
      }: { claims?: Claims; refreshable?: boolean; previous?: Session } = {},
      browser: CookieStore = createCookieStore(),
    ): Promise<{ browser: CookieStore; session: SignedIn }> {
      const issued = await this.issue(claims);
      const tokens = refreshable ? issued : { ...issued, refreshToken: null };
      const verified = await verifier.verify(tokens, null);
      const jar = createResponseCookies();
      const record = sessions.create({ tokens, verified });
      const session = await sessions.start(
        browser.request(),
        jar,
        previous ?? { state: 'anonymous' },
        record,
      );
      browser.receive(jar);
      return { browser, session };
    },
    /** Opens the session as one request does, and applies the cookies of the response. */
    async visit(browser: CookieStore): Promise<{ session: Session; setCookies: string[] }> {
      const jar = createResponseCookies();
      const session = await sessions.open(browser.request(), jar);
      browser.receive(jar);
      return { session, setCookies: jar.lines() };
    },
    async signOut(browser: CookieStore, session: Session): Promise<Revocation> {
      const jar = createResponseCookies();
      const result = await sessions.end(browser.request(), jar, session);
      browser.receive(jar);
      return result;
    },
  };
}
