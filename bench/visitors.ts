/** Visitors of the site whose tokens are due for a refresh, and what they ask. */
import { Agent } from 'node:http';
import { createSessionCookies } from '../app/server/session/session-cookie.ts';
import type { LocalCloud } from '../local-cloud/start.ts';
import { createSiteVisitor, type SiteVisitor } from '../tests/support/sign-in/site-visitor.ts';

/** What the sites of these checks seal with, so that the checks can look into the cookies that come back. */
export const SECRET = 'm4Zq8Wc2Lx7Rv1Tk9Ny5Hb3Gd6Js0PfE';

export const agent = new Agent({ keepAlive: true, maxSockets: 500 });
const PASSWORD = 'Correct-Horse-7';

const sessionCookies = createSessionCookies({
  env: {
    session: { secrets: [SECRET], secure: true, sameSite: 'lax', maxAge: 365 * 86_400, maxIdle: 30 * 86_400 },
  },
  clock: Date.now,
});

/** Visitors with accounts of their own, `count` of them; their first tokens live for so short that they are due. */
export async function dueVisitors(cloud: LocalCloud, origin: string, count: number, prefix: string) {
  cloud.faults.set({ tokenSeconds: 4 });
  const visitors: { email: string; visitor: SiteVisitor }[] = [];
  let next = 0;
  const signUp = async () => {
    while (next < count) {
      const email = `${prefix}-${next++}@example.com`;
      const visitor = createSiteVisitor(origin, agent);
      await visitor.signUp(cloud, { email, password: PASSWORD });
      visitors.push({ email, visitor });
    }
  };
  await Promise.all(Array.from({ length: 6 }, signUp));
  cloud.faults.set({});
  cloud.faults.forgetCalls();
  return visitors;
}

/** One visitor who is due. */
export async function dueVisitor(cloud: LocalCloud, origin: string, prefix: string): Promise<SiteVisitor> {
  const [first] = await dueVisitors(cloud, origin, 1, prefix);
  if (!first) throw new Error('Nobody signed up');
  return first.visitor;
}

/** How often the user pool was asked for new tokens since the counters were last forgotten. */
export function refreshesAt(cloud: LocalCloud): number {
  return cloud.faults.calls['cognito-idp']?.GetTokensFromRefreshToken ?? 0;
}

/** What the visitor is told: signed in or out, or what else was answered. */
export async function stateOf(visitor: SiteVisitor): Promise<string> {
  const { status } = await visitor.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '-',
  });
  // What is no JSON is refused, but only once it is known who asks.
  return { 400: 'signed in', 401: 'signed out' }[status] ?? `status ${status}`;
}

/** `count` copies of the visitor at once. */
export function race(visitor: SiteVisitor, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => stateOf(visitor.copy())));
}

/** Whose session the visitor's cookie holds, by e-mail address; null when it holds none. */
export async function ownerOf(visitor: SiteVisitor): Promise<string | null> {
  const received = await sessionCookies.read(visitor.cookies.request());
  return received.state === 'open' ? received.record.user.email : null;
}
