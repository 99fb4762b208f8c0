/** Signs a browser in over HTTP, for tests whose subject is not the sign-in. */
import type { Agent } from 'node:http';
import type { BrowserContext } from '@playwright/test';
import type { LocalCloud } from '../../../packages/local-cloud/start.ts';
import { type SiteVisitor, signUpVisitor } from '../../support/sign-in/site-visitor.ts';

/** Creates an account and gives its session to the browser. Returns a visitor with a copy of the session. */
export async function signUpInContext(
  context: BrowserContext,
  { site, cloud }: { site: { origin: string }; cloud: LocalCloud },
  { agent, email }: { agent: Agent; email: string },
): Promise<SiteVisitor> {
  const visitor = await signUpVisitor({ site, cloud }, agent, email);
  const attributes = { url: site.origin, httpOnly: true, sameSite: 'Lax' as const };
  const { cookies } = visitor.cookies;
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, ...attributes })));
  return visitor;
}
