/** A visitor who has signed up at the local cloud, as the headers that their browser sends. */

import { createResponseCookies } from '../app/server/cookies/cookie-jar.ts';
import type { LocalCloud } from '../local-cloud/start.ts';
import { createCookieStore } from '../tests/support/sign-in/cookie-store.ts';
import { createHostedLoginVisitor } from '../tests/support/sign-in/hosted-login.ts';

/** Signs a new visitor up at the site and gives the `Cookie` header of their session. */
export async function signUpCookie(origin: string, cloud: LocalCloud): Promise<string> {
  const store = createCookieStore();
  const visit = async (path: string) => {
    const cookie = [...store.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, origin), { redirect: 'manual', headers: { cookie } });
    store.receive({ ...createResponseCookies(), lines: () => response.headers.getSetCookie() });
    await response.text();
    return response.headers.get('location') ?? '';
  };
  const authorize = await visit('/auth/sign-in');
  const callback = await createHostedLoginVisitor(cloud).signUp(authorize, {
    email: 'visitor@example.com',
    password: 'Correct-Horse-7',
  });
  await visit(callback.pathname + callback.search);
  const session = [...store.cookies].filter(([name]) => name.startsWith('__Host-session'));
  if (session.length === 0) throw new Error('The sign-up came to nothing.');
  return session.map(([name, value]) => `${name}=${value}`).join('; ');
}
