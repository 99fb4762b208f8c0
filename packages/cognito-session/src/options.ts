/** What an app passes to `createCognitoSession`, its checks, and the values of what it leaves out. */

import { type Clock, consoleLog, type Log, systemClock, type UpstreamMetrics } from '#upstream';
import type { SessionMetrics } from './metrics.ts';
import { type AuthPaths, DEFAULT_PATHS, type SessionSettings, type Settings } from './settings.ts';
import { createInMemoryStore } from './shared-store/in-memory-store.ts';
import { RedisConnection } from './shared-store/redis-connection.ts';
import { RedisStore } from './shared-store/redis-store.ts';
import type { SharedStore } from './shared-store/shared-store.ts';
import type { SignInErrorCode } from './user-pool/sign-in-error.ts';

/** A sign-in that has failed. `returnTo` is the path to which the visitor wanted to return, or `/`. */
export type SignInFailure = {
  code: SignInErrorCode;
  returnTo: string;
  /** The action of a fresh sign-in, or null. */
  action: string | null;
  request: Request;
};

export type CognitoSessionOptions = {
  /**
   * The public origin of the app, such as `https://www.example.com`. `http:` is for localhost, and elsewhere only with
   * `cookie: { secure: false }`.
   */
  appOrigin: string;
  /** At least 32 characters each. The first seals cookies, and all of them open cookies. */
  secrets: readonly [string, ...string[]];
  userPool: {
    /** Such as `eu-central-1_a1B2c3D4e`. */
    id: string;
    clientId: string;
    /** Without one the app client is public. */
    clientSecret?: string | null | undefined;
    /** The origin of the hosted login, such as `https://login.example.com`. */
    domain: string;
    /** The `iss` claim of tokens. By default that of the user pool `id`. */
    issuer?: string | undefined;
    /** The user pools API. By default that of the region in `id`. */
    endpoint?: string | undefined;
    /** `InitiateAuth` is for app clients without rotation of refresh tokens. By default `GetTokensFromRefreshToken`. */
    refreshOperation?: 'GetTokensFromRefreshToken' | 'InitiateAuth' | undefined;
  };
  /** The paths of the app's routes. By default `/auth/sign-in`, `/auth/sign-up`, `/auth/callback`, `/auth/sign-out`. */
  paths?: Partial<AuthPaths>;
  /** By default `secure` with https, and `sameSite: 'lax'`. */
  cookie?: Partial<Pick<SessionSettings, 'secure' | 'sameSite'>>;
  /** Seconds. By default a year, 30 days, and null: tokens are refreshed when they expire. */
  limits?: Partial<Pick<SessionSettings, 'maxAge' | 'maxIdle' | 'recheckAfter'>>;
  /** What several machines share: the address of Valkey or Redis. By default the memory of this process. */
  store?: string | null | undefined;
  /** Two apps with one secret or one store need different ones. By default `cognito-session`. */
  namespace?: string;
  /** Returns the hosted login's language, as Cognito names it, for a visitor who will return to this path. */
  language?: (returnTo: string) => string | null;
  /** Returns the response to a callback without a session. By default a text with the status 400 or 503. */
  onSignInError?: (failure: SignInFailure) => Response | Promise<Response>;
  /** A log such as pino's. By default warnings and errors go to the console. */
  log?: Log;
  metrics?: SessionMetrics;
  /** Returns the time in milliseconds. */
  clock?: Clock;
};

const MIN_SECRET_LENGTH = 32;
const DAY = 24 * 60 * 60;

const noMetrics: SessionMetrics = { retried() {}, circuitChanged() {}, shed() {}, refreshEnded() {} };

/** The options with all defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** Returns the options with their defaults. Throws a `TypeError` that says which option is wrong. */
export function resolveOptions(options: CognitoSessionOptions) {
  const { log = consoleLog, metrics = noMetrics, clock = systemClock } = options;
  const settings = toSettings(options);
  return {
    settings,
    log,
    metrics,
    clock,
    store: openStore(options.store, { log, metrics, clock, namespace: settings.session.namespace }),
    language: options.language ?? (() => null),
    onSignInError: options.onSignInError ?? describeFailure,
  };
}

/** Returns the settings of the classes behind the options. Throws a `TypeError` that says which option is wrong. */
export function toSettings(options: CognitoSessionOptions): Required<Settings> {
  const { appOrigin, secrets, namespace = 'cognito-session', userPool, paths, cookie, limits } = options;
  const { protocol, hostname } = checkOrigin('appOrigin', appOrigin);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  if (protocol !== 'https:' && !isLocal && cookie?.secure !== false) {
    throw new TypeError('appOrigin needs https, except on localhost.');
  }
  checkOrigin('userPool.domain', userPool.domain);
  if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw new TypeError(`Each of secrets needs ${MIN_SECRET_LENGTH} characters or more.`);
  }
  for (const [name, path] of Object.entries(paths ?? {})) {
    if (!path.startsWith('/')) throw new TypeError(`paths.${name} needs a slash at the start.`);
  }
  const secure = cookie?.secure ?? protocol === 'https:';
  const sameSite = cookie?.sameSite ?? 'lax';
  if (sameSite === 'none' && !secure) throw new TypeError("cookie.sameSite 'none' needs a secure cookie.");
  return {
    appOrigin,
    paths: { ...DEFAULT_PATHS, ...paths },
    session: {
      ...{ secrets, namespace, secure, sameSite },
      maxAge: limits?.maxAge ?? 365 * DAY,
      maxIdle: limits?.maxIdle ?? 30 * DAY,
      recheckAfter: limits?.recheckAfter ?? null,
    },
    userPool: toUserPoolSettings(userPool),
  };
}

function checkOrigin(name: string, value: string): URL {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url?.origin === value) return url;
  throw new TypeError(`${name} needs an origin: scheme, host and port, without a path.`);
}

function toUserPoolSettings(userPool: CognitoSessionOptions['userPool']): Settings['userPool'] {
  const { id, clientId, clientSecret, domain } = userPool;
  // The id is `{region}_{name}`.
  const [region = '', name] = id.split('_', 2);
  if (!region || !name) throw new TypeError('userPool.id is not the id of a user pool.');
  if (!clientId) throw new TypeError('userPool.clientId is missing.');
  for (const [name, value] of Object.entries({ issuer: userPool.issuer, endpoint: userPool.endpoint })) {
    if (value !== undefined && !URL.canParse(value)) throw new TypeError(`userPool.${name} needs a URL.`);
  }
  // The China partition has its own domain.
  const partition = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const origin = `https://cognito-idp.${region}.${partition}`;
  return {
    ...{ region, id, clientId, domain },
    clientSecret: clientSecret || null,
    issuer: userPool.issuer ?? `${origin}/${id}`,
    endpoint: (userPool.endpoint ?? origin).replace(/\/$/, ''),
    refreshOperation: userPool.refreshOperation ?? 'GetTokensFromRefreshToken',
  };
}

function openStore(
  store: CognitoSessionOptions['store'],
  deps: { clock: Clock; log: Log; metrics: UpstreamMetrics; namespace: string },
): SharedStore {
  const localStore = createInMemoryStore(deps.clock);
  if (!store) return localStore;
  return new RedisStore({ ...deps, redis: new RedisConnection(store, deps), localStore });
}

function describeFailure({ code }: SignInFailure): Response {
  return new Response(`You are not signed in: ${code}.\n`, { status: code === 'unavailable' ? 503 : 400 });
}
