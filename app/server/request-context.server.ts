/**
 * What one request can ask of the server's side. `openRequestContext` is the only door from routes to the backend:
 * routes get the context from Remix and import nothing of the services behind it.
 */
import { join } from 'node:path';
import type { AppLoadContext } from '@remix-run/node';
import type { Theme } from '../theme.ts';
import type { Env } from './env.server.ts';
import type { SignInErrorCode } from './errors.server.ts';
import type { Log } from './log.server.ts';
import { loadMessages, type Messages } from './messages.server.ts';
import { readTheme } from './preferences.server.ts';
import { createResponseCookies, type ResponseCookies } from './response-cookies.server.ts';
import type { Session } from './session.server.ts';

/** Made once per process, shared by all requests. */
export type Services = {
  env: Env;
  log: Log;
  messages: Messages;
  buildId: string;
};

export type RequestContext = Services & {
  requestId: string;
  /** Marks the inline scripts of this one document in its Content-Security-Policy. */
  nonce: string;
  theme: Theme;
  cookies: ResponseCookies;
  session: Session;
  /** Milliseconds that reading and, where it was due, refreshing the session took. */
  sessionMs: number;
  /** Why the visitor's last attempt to sign in came to nothing: told once. */
  notice: SignInErrorCode | null;
};

declare module '@remix-run/server-runtime' {
  interface AppLoadContext extends RequestContext {}
}

/** The services of a process, over the messages in `publicDirectory`. Throws when those cannot be read. */
export function createServices(
  env: Env,
  log: Log,
  { buildId, publicDirectory }: { buildId: string; publicDirectory: string },
): Services {
  return { env, log, buildId, messages: loadMessages(join(publicDirectory, 'locales')) };
}

/** Opens the context of a request. Never throws for anything that the request or an upstream does. */
export async function openRequestContext(
  services: Services,
  request: Request,
  { requestId, nonce }: { requestId: string; nonce: string },
): Promise<AppLoadContext> {
  const cookies = createResponseCookies();
  return {
    ...services,
    requestId,
    nonce,
    theme: readTheme(request),
    cookies,
    session: { state: 'anonymous' },
    sessionMs: 0,
    notice: null,
  };
}
