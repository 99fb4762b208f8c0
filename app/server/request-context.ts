/**
 * The request context: the only way from routes and steps to the services. It is opened once per request and holds the
 * visitor's session.
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AppLoadContext } from '@remix-run/node';
import {
  type AppSyncClient,
  type Caller,
  createAppSyncClient,
  createGraphqlProxy,
  createIdentityPool,
  type GraphqlProxy,
  type IdentityPool,
} from '@tenfold/appsync-proxy';
import {
  type CognitoSession,
  createCognitoSession,
  createResponseCookies,
  isDocumentRequest,
  isPrefetch,
  isSameOrigin,
  type ResponseCookies,
  type Session,
  type SharedStore,
  type SignIn,
} from '@tenfold/cognito-session';
import type { HeaderReader, Log } from '@tenfold/site-server';
import { type Clock, systemClock } from '@tenfold/upstream';
import type { Authenticator } from 'remix-auth';
import type { RemixI18Next } from 'remix-i18next/server';
import { hostedLoginLanguage } from '../i18n/hosted-login.ts';
import { localeOfPath } from '../i18n/locales.ts';
import { checkSlugs } from '../i18n/slugs.ts';
import { loadTranslations, type Translations } from '../i18n/translations.server.ts';
import { pages } from '../pages.ts';
import type { Theme } from '../theme/theme.ts';
import type { Env } from './config/env.ts';
import { withVariableNames } from './config/variable-names.ts';
import { PolicyReports } from './content-policy/policy-reports.ts';
import { isRestricted, loadShippedDocuments } from './graphql-proxy/shipped-documents.ts';
import { createIcons, type Icons } from './icons/icons.ts';
import { createGuests, type Guests } from './identity/guest-identity.ts';
import { LiveMessages } from './live/live-messages.ts';
import { type Metrics, noMetrics } from './metrics/metrics.ts';
import { createI18n } from './preferences/locale-detection.ts';
import { readTheme } from './preferences/preferences.ts';
import { type SignInNotice, signInNotice } from './preferences/sign-in-notice.ts';
import { OPERATIONS } from './rate-limit/rate-limit.ts';
import { createRateLimiter } from './rate-limit/rate-limiter.ts';
import { checkPages } from './rendering/page-rules.ts';

/** Created once per process, shared by all requests. */
export type Services = {
  env: Env;
  log: Log;
  metrics: Metrics;
  buildId: string;
  translations: Translations;
  i18n: RemixI18Next;
  auth: CognitoSession;
  /** That of `auth`. */
  store: SharedStore;
  identity: IdentityPool;
  guests: Guests;
  dataApi: AppSyncClient;
  graphqlProxy: GraphqlProxy;
  icons: Icons;
  policyReports: PolicyReports;
  liveMessages: LiveMessages;
};

type RequestContext = Services & {
  requestId: string;
  /**
   * Whether this is a request for data by the site's client-side code (Remix's `.data` addresses), not for a document.
   */
  isDataRequest: boolean;
  /** Path and query of the request, as received. */
  target: string;
  /**
   * Aborts when the client disconnects before its response is complete. Use it instead of `request.signal`, which Node
   * forgets when it collects garbage (nodejs/undici#3644).
   */
  signal: AbortSignal;
  /** Returns the address block of the visitor, by which limits name their callers. */
  caller: () => string;
  theme: Theme;
  cookies: ResponseCookies;
  /** Begins and finishes sign-ins of the visitor. */
  authenticator: Authenticator<SignIn>;
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
 * when a page has a wrong slug, or names a layout or middleware that does not exist.
 */
export function createServices(
  env: Env,
  ownLog: Log,
  { buildId, publicDirectory, clock = systemClock, metrics = noMetrics }: ServiceOptions,
): Services {
  const log = withVariableNames(ownLog);
  checkSlugs(pages);
  checkPages(pages, log);
  const translations = loadTranslations(join(publicDirectory, 'locales'));
  const auth = createCognitoSession({
    appOrigin: env.appOrigin,
    secrets: env.session.secrets,
    namespace: env.session.namespace,
    userPool: env.userPool,
    cookie: env.session,
    limits: env.session,
    store: env.redisUrl,
    language: (returnTo) => hostedLoginLanguage(localeOfPath(new URL(returnTo, env.appOrigin).pathname).code),
    ...{ clock, log, metrics },
  });
  const identity = createIdentityPool({
    ...env.identityPool,
    issuer: env.userPool.issuer,
    ...{ clock, log, metrics },
  });
  const limit = createRateLimiter({ store: auth.store, env, metrics });
  const countOperation = ({ id }: Caller) => limit(OPERATIONS, id, '');
  const dataApi = createAppSyncClient({
    ...env.dataApi,
    credentials: env.dataApi.authMode === 'iam' ? identity : 'access-token',
    ...{ countOperation, isRestricted, clock, log, metrics },
  });
  return {
    env,
    log,
    metrics,
    buildId,
    translations,
    i18n: createI18n(translations),
    auth,
    store: auth.store,
    identity,
    guests: createGuests({ env, identity, clock }),
    dataApi,
    graphqlProxy: createGraphqlProxy({
      api: dataApi,
      documents: loadShippedDocuments(),
      isSameOrigin: (headers) => isSameOrigin(headers, env.appOrigin),
      log,
      onRejected: metrics.rejected,
    }),
    icons: createIcons({ env, clock, log, metrics }),
    policyReports: new PolicyReports({ env, clock, log, metrics }),
    liveMessages: new LiveMessages({ env, auth, identity, clock, log }),
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

/** The part of an `Exchange` that the request context depends on. */
export type ContextSource = {
  requestId: string;
  method: string;
  path: string;
  target: string;
  headers: HeaderReader;
  signal: AbortSignal;
  /** The jar for the cookies that the response sets. */
  cookies: ResponseCookies;
};

/** The source of a web `Request` that is not an `Exchange`. Its jar for cookies is empty. */
export function sourceOf({ url, method, headers, signal }: Request) {
  const { pathname: path, search } = new URL(url);
  const cookies: ResponseCookies = createResponseCookies();
  const target = path + search;
  return { requestId: randomUUID(), method, path, search, target, headers, signal, cookies };
}

/**
 * Opens the context of a request. Never rejects because of a bad request or a failed upstream. `caller` returns the
 * address block of the visitor; the site's own requests have none.
 */
export async function openRequestContext(
  services: Services,
  source: ContextSource,
  caller: () => string = () => '',
): Promise<AppLoadContext> {
  const { requestId, path, target, cookies } = source;
  const startedAt = performance.now();
  const session = await services.auth.open(source, cookies);
  services.metrics.sessionOpened(session.state);
  if (session.state === 'signed-in') await services.guests.adopt(session, source, cookies);
  return {
    ...services,
    requestId,
    isDataRequest: isData(path),
    target,
    signal: source.signal,
    caller,
    theme: readTheme(source),
    cookies,
    authenticator: services.auth.authenticator({ cookies, session, caller }),
    session,
    sessionMs: performance.now() - startedAt,
    consumeNotice: () =>
      isShown(source)
        ? (signInNotice.consume(source, cookies, services.env.session.secure)?.code ?? null)
        : null,
  };
}

/** Whether the visitor sees the response. A notice must not get lost in a response for client-side code or for later. */
function isShown({ method, path, headers }: ContextSource): boolean {
  return method === 'GET' && !isData(path) && isDocumentRequest(headers) && !isPrefetch(headers);
}

function isData(path: string): boolean {
  return path.endsWith('.data');
}
