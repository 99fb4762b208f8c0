/**
 * The request context: the only way from routes and steps to the services. It is opened once per request and holds the
 * visitor's session.
 */
import { join } from 'node:path';
import type { AppLoadContext } from '@remix-run/node';
import type { Authenticator } from 'remix-auth';
import { loadTranslations, type Translations } from '../i18n/translations.server.ts';
import { pages } from '../pages.ts';
import type { Theme } from '../theme/theme.ts';
import type { Env } from './config/env.ts';
import type { ResponseCookies } from './cookies/cookie-jar.ts';
import { createDataApi, type DataApi } from './data-api/data-api.ts';
import { loadShippedDocuments } from './graphql-proxy/shipped-documents.ts';
import type { TrustedDocuments } from './graphql-proxy/trusted-documents.ts';
import { isDocumentRequest } from './http/document-request.ts';
import type { HeaderReader } from './http/exchange.ts';
import { createIcons, type Icons } from './icons/icons.ts';
import { createGuests, type Guests } from './identity/guest-identity.ts';
import { createIdentity, type Identity } from './identity/identity.ts';
import type { Log } from './observability/log.ts';
import { type Metrics, noMetrics } from './observability/metrics.ts';
import { createPolicyReports, type PolicyReports } from './policy-reports/policy-reports.ts';
import { readTheme } from './preferences/preferences.ts';
import { OPERATIONS } from './rate-limit/rate-limit.ts';
import { createRateLimiter } from './rate-limit/rate-limiter.ts';
import { checkPages } from './rendering/page-rules.ts';
import { StaticParts } from './rendering/static-parts.tsx';
import type { CallSignal } from './resilience/call-signal.ts';
import { type Clock, systemClock } from './resilience/clock.ts';
import { type Session, Sessions, type SignedIn } from './session/session.ts';
import { createInMemoryStore } from './shared-store/in-memory-store.ts';
import { RedisConnection } from './shared-store/redis-connection.ts';
import { RedisStore } from './shared-store/redis-store.ts';
import type { SharedStore } from './shared-store/shared-store.ts';
import { SignInAttempts } from './sign-in/sign-in-attempt.ts';
import { type SignInNotice, signInNotice } from './sign-in/sign-in-notice.ts';
import { createAuthenticator, type SignInResult } from './user-pool/hosted-login.ts';
import { createTokenVerifier } from './user-pool/token-verifier.ts';
import { createUserPoolClient } from './user-pool/user-pool-client.ts';

/** Created once per process, shared by all requests. */
export type Services = {
  env: Env;
  log: Log;
  metrics: Metrics;
  buildId: string;
  translations: Translations;
  staticParts: StaticParts;
  store: SharedStore;
  sessions: Sessions;
  authenticator: Authenticator<SignInResult>;
  signInAttempts: SignInAttempts;
  identity: Identity;
  guests: Guests;
  dataApi: DataApi;
  trustedDocuments: TrustedDocuments;
  icons: Icons;
  policyReports: PolicyReports;
};

type RequestContext = Services & {
  requestId: string;
  /**
   * Returns what marks the inline scripts of this document in its Content-Security-Policy, generated at the first call.
   * Null for a page that will be cached.
   */
  nonce: () => string | null;
  /**
   * Whether this is a request for data by the site's client-side code (Remix's `.data` addresses), not for a document.
   */
  isDataRequest: boolean;
  /** Path and query of the request, as received. */
  target: string;
  /**
   * Aborts when the client disconnects before its response is complete. Use it instead of `request.signal`, which Node 20
   * forgets when it collects garbage (nodejs/undici#3644).
   */
  signal: CallSignal;
  theme: Theme;
  cookies: ResponseCookies;
  session: Session;
  /** Milliseconds that opening the session took, with a refresh if one was due. */
  sessionMs: number;
  /**
   * Returns the notice about the last sign-in or sign-out, and deletes its cookie, so that it is shown once. Only pages
   * call this, so that a redirect keeps the notice for the next page.
   */
  consumeNotice: () => SignInNotice | null;
};

declare module '@remix-run/server-runtime' {
  interface AppLoadContext extends RequestContext {}
}

type ServiceOptions = { buildId: string; publicDirectory: string; clock?: Clock; metrics?: Metrics };

/**
 * Creates the services of a process, with the translations in `publicDirectory`. Throws when those cannot be read, or
 * when a page names a layout or middleware that does not exist.
 */
export function createServices(
  env: Env,
  log: Log,
  { buildId, publicDirectory, clock = systemClock, metrics = noMetrics }: ServiceOptions,
): Services {
  checkPages(pages, log);
  const translations = loadTranslations(join(publicDirectory, 'locales'));
  const userPoolClient = createUserPoolClient({ env, clock, log, metrics });
  const verifier = createTokenVerifier({ env, clock });
  const store = openSharedStore(env, { clock, log, metrics });
  const sessions = new Sessions({ env, userPoolClient, verifier, store, clock, log, metrics });
  const identity = createIdentity({ env, clock, log, metrics });
  const limit = createRateLimiter({ store, env, metrics });
  // A session is the key of the limit, and not an address.
  const countOperation = (session: SignedIn) => limit(OPERATIONS, session, '');
  return {
    env,
    log,
    metrics,
    buildId,
    translations,
    staticParts: new StaticParts(translations),
    store,
    sessions,
    authenticator: createAuthenticator({ env, verifier, metrics }),
    signInAttempts: new SignInAttempts({ env, clock }),
    identity,
    guests: createGuests({ env, identity, clock }),
    dataApi: createDataApi({ env, identity, countOperation, clock, log, metrics }),
    trustedDocuments: loadShippedDocuments(),
    icons: createIcons({ env, clock, log, metrics }),
    policyReports: createPolicyReports({ env, clock, log, metrics }),
  };
}

/**
 * Stops the services that run beside the requests: those with a method `stop`, the last created first. A service that
 * fails is logged, and the others are stopped.
 */
export async function stopServices(services: Services): Promise<void> {
  for (const service of Object.values(services).reverse()) {
    if (typeof service !== 'object' || !('stop' in service) || typeof service.stop !== 'function') continue;
    try {
      await service.stop();
    } catch (err) {
      services.log.error({ err }, 'a service could not be stopped');
    }
  }
}

/** Returns the Redis store that `env` names, else the in-memory store. It connects in the background. */
function openSharedStore(
  { redisUrl }: Pick<Env, 'redisUrl'>,
  deps: { clock: Clock; log: Log; metrics: Metrics },
): SharedStore {
  const localStore = createInMemoryStore(deps.clock);
  if (redisUrl === null) return localStore;
  return new RedisStore({ redis: new RedisConnection(redisUrl, deps), localStore, clock: deps.clock });
}

/** The part of an `Exchange` that the request context depends on. */
export type ContextSource = {
  requestId: string;
  nonce: string | null;
  method: string;
  path: string;
  target: string;
  headers: HeaderReader;
  signal: CallSignal;
  /** The jar for the cookies that the response sets. */
  cookies: ResponseCookies;
};

/** Opens the context of a request. Never rejects because of a bad request or a failed upstream. */
export async function openRequestContext(services: Services, source: ContextSource): Promise<AppLoadContext> {
  const { requestId, method, path, target, headers, cookies } = source;
  const startedAt = performance.now();
  const session = await services.sessions.open(source, cookies);
  services.metrics.sessionOpened(session.state);
  if (session.state === 'signed-in') await services.guests.adopt(session, source, cookies);
  return {
    requestId,
    nonce: () => source.nonce,
    isDataRequest: path.endsWith('.data'),
    target,
    signal: source.signal,
    theme: readTheme(source),
    cookies,
    session,
    sessionMs: performance.now() - startedAt,
    // A request of client-side code must not consume a notice that a page shows.
    consumeNotice: () =>
      method === 'GET' && isDocumentRequest(headers)
        ? signInNotice.consume(source, cookies, services.env.session.secure)
        : null,
    // Last: with the services first, V8 makes a slow object, which takes 16 µs instead of 1 µs.
    ...services,
  };
}
