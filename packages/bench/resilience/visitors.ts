/** Visitors whose tokens have to be refreshed, and cheap requests that reveal the state of their sessions. */
import { Agent } from 'node:http';
import { type SiteVisitor, signUpVisitor } from '../../../tests/support/sign-in/site-visitor.ts';
import type { LocalCloud } from '../../local-cloud/start.ts';
import { sessionCookies } from '../load/session-cookies.ts';

/** Tokens that live for so few seconds have to be refreshed at once. */
export const EXPIRING_TOKEN_SECONDS = 4;

export const SIGNED_IN = 'signed in';
export const SIGNED_OUT = 'signed out';

export const agent = new Agent({ keepAlive: true, maxSockets: 500 });

const PARALLEL_SIGN_UPS = 6;

/** Signs up `count` visitors whose tokens expire at once, and resets the local cloud's counters. */
export async function signUpExpiringVisitors(
  cloud: LocalCloud,
  origin: string,
  count: number,
  namePrefix: string,
): Promise<{ email: string; visitor: SiteVisitor }[]> {
  cloud.faults.set({ tokenSeconds: EXPIRING_TOKEN_SECONDS });
  const visitors: { email: string; visitor: SiteVisitor }[] = [];
  let next = 0;
  const signUpSeveral = async () => {
    while (next < count) {
      const email = `${namePrefix}-${next++}@example.com`;
      visitors.push({ email, visitor: await signUpVisitor({ site: { origin }, cloud }, agent, email) });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_SIGN_UPS }, signUpSeveral));
  cloud.faults.set({});
  cloud.faults.forgetCalls();
  return visitors;
}

/** Signs up one visitor whose tokens expire at once. */
export async function signUpExpiringVisitor(
  cloud: LocalCloud,
  origin: string,
  namePrefix: string,
): Promise<SiteVisitor> {
  const [first] = await signUpExpiringVisitors(cloud, origin, 1, namePrefix);
  if (!first) throw new Error('No visitor signed up');
  return first.visitor;
}

/** The number of token refreshes that the user pool has received since the counters were reset. */
export function countRefreshes(cloud: LocalCloud): number {
  return cloud.faults.calls['cognito-idp']?.GetTokensFromRefreshToken ?? 0;
}

/** Returns whether the visitor is signed in, or the unexpected status of the response. */
export async function sessionStateOf(visitor: SiteVisitor): Promise<string> {
  const { status } = await visitor.request('/api/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '-',
  });
  // A body that is not JSON is rejected, but only after the session has been opened.
  if (status === 400) return SIGNED_IN;
  return status === 401 ? SIGNED_OUT : `status ${status}`;
}

/** Sends `count` requests at once, each with its own copy of the visitor's cookies. Returns the session states. */
export function requestInParallel(visitor: SiteVisitor, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => sessionStateOf(visitor.copy())));
}

/** The email address in the visitor's session cookie; null when there is no session. */
export async function sessionEmailOf(visitor: SiteVisitor): Promise<string | null> {
  const received = await sessionCookies.read(visitor.cookies.request());
  return received.state === 'open' ? received.record.user.email : null;
}
