/**
 * What the site is told from outside. This is the only module that reads `process.env`; everything else is handed
 * an `Env`. Nothing here has a default that would be a secret.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type AmplifyOutputs, parseAmplifyOutputs } from './amplify-outputs.ts';
import { EnvError } from './env-error.ts';
import {
  days,
  domain,
  flag,
  origin,
  origins,
  port,
  required,
  secrets,
  url,
  wholeNumber,
} from './env-values.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export type Env = {
  /** Where visitors find the site: scheme, host and port, nothing after. The only source of absolute addresses. */
  appOrigin: string;
  port: number;
  logLevel: LogLevel;
  /** How many proxies in front are trusted to state the visitor's address (Express's `trust proxy`). */
  trustedProxies: number;
  /** How many earlier builds' assets are kept and served, and where they lie. */
  builds: { keep: number; directory: string };
  session: {
    /** The first one seals, all of them open. Each has at least 32 characters. */
    secrets: readonly [string, ...string[]];
    /** `Secure` and the `__Host-` prefix. Off only for browsers that refuse them on plain http. */
    secure: boolean;
    sameSite: 'strict' | 'lax' | 'none';
    /** Seconds from sign-in. */
    maxAge: number;
    /** Seconds without a request. */
    maxIdle: number;
  };
  userPool: {
    region: string;
    id: string;
    clientId: string;
    /** Null for a public client. */
    clientSecret: string | null;
    /** Origin of the hosted login. */
    domain: string;
    /** Exactly what tokens carry as `iss`; the keys are at `{issuer}/.well-known/jwks.json`. */
    issuer: string;
    /** Where `InitiateAuth` and `GetTokensFromRefreshToken` are asked. */
    endpoint: string;
    refreshOperation: 'GetTokensFromRefreshToken' | 'InitiateAuth';
  };
  identityPool: {
    region: string;
    id: string;
    allowGuests: boolean;
    /** Null: the AWS SDK's own. */
    endpoint: string | null;
  };
  dataApi: {
    endpoint: string;
    region: string;
    authMode: 'iam' | 'userPool';
    /** Which operations the proxy passes on: those that the site ships, or any. */
    operations: 'trusted' | 'any';
  };
  /** The Valkey or Redis that several machines share through; null: this one is alone. Holds a password: never logged. */
  redisUrl: string | null;
  /** Multiplies every rate limit; 0 turns them off. */
  rateLimitScale: number;
  /** Where metrics are read, apart from the site; null: nowhere. */
  metrics: { host: string; port: number } | null;
  /** Origins of the public icon API, in the order in which they are asked; empty: installed icons only. */
  iconApiHosts: readonly string[];
};

const DAY = 24 * 60 * 60;

const schema = z
  .object({
    APP_ORIGIN: required('where visitors find the site').pipe(origin),
    PORT: port.default(3000),
    LOG_LEVEL: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'], {
        error: 'must be debug, info, warn, error or silent',
      })
      .default('info'),
    TRUSTED_PROXIES: wholeNumber.max(10).default(0),
    REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }).optional(),
    RATE_LIMIT_SCALE: z.coerce.number({ error: 'must be a number' }).min(0).max(1000).default(1),
    METRICS_PORT: port.optional(),
    METRICS_HOST: z.string().min(1).default('127.0.0.1'),
    KEEP_BUILDS: wholeNumber.max(100).default(3),
    BUILDS_DIRECTORY: z.string().min(1).default('build/kept'),
    SESSION_SECRETS: required('what seals the session cookie').pipe(secrets),
    SESSION_COOKIE_SECURE: flag.default(true),
    SESSION_COOKIE_SAME_SITE: z
      .enum(['strict', 'lax', 'none'], { error: 'must be strict, lax or none' })
      .default('lax'),
    SESSION_MAX_DAYS: days.default(365),
    SESSION_IDLE_DAYS: days.default(30),
    AWS_REGION: z.string().min(1).optional(),
    COGNITO_USER_POOL_ID: required('Auth UserPool not configured.').regex(/^[^_]+_/, {
      error: 'Invalid user pool id provided.',
    }),
    COGNITO_CLIENT_ID: required('Auth UserPool not configured.').min(1),
    COGNITO_CLIENT_SECRET: z.string().min(1).optional(),
    COGNITO_DOMAIN: required('the hosted login').pipe(domain),
    COGNITO_ISSUER: url.optional(),
    COGNITO_REFRESH_OPERATION: z
      .enum(['GetTokensFromRefreshToken', 'InitiateAuth'], {
        error: 'must be GetTokensFromRefreshToken or InitiateAuth',
      })
      .default('GetTokensFromRefreshToken'),
    COGNITO_IDENTITY_POOL_ID: required('the identity pool').regex(/^[^:]+:/, {
      error: 'Invalid identity pool id provided.',
    }),
    COGNITO_ALLOW_GUESTS: flag.default(true),
    GRAPHQL_ENDPOINT: required('the data API').pipe(url),
    GRAPHQL_REGION: z.string().min(1).optional(),
    GRAPHQL_AUTH_MODE: z.enum(['iam', 'userPool'], { error: 'must be iam or userPool' }).default('iam'),
    GRAPHQL_OPERATIONS: z.enum(['trusted', 'any'], { error: 'must be trusted or any' }).default('trusted'),
    ICON_API_HOSTS: origins.default([
      'https://api.iconify.design',
      'https://api.simplesvg.com',
      'https://api.unisvg.com',
    ]),
    AWS_ENDPOINT_URL_COGNITO_IDENTITY: url.optional(),
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: url.optional(),
  })
  .refine((vars) => vars.SESSION_COOKIE_SAME_SITE !== 'none' || vars.SESSION_COOKIE_SECURE, {
    path: ['SESSION_COOKIE_SAME_SITE'],
    error: 'none needs SESSION_COOKIE_SECURE=true',
    // Told with everything else that is wrong, not after it.
    when: () => true,
  });

/**
 * Everything the site is configured with, from environment variables or, where they are silent, from the
 * `amplify_outputs.json` that `AMPLIFY_OUTPUTS` names. Throws one `EnvError` that names every bad variable at once
 * and never a value.
 */
export function parseEnv(variables: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const outputs = given.AMPLIFY_OUTPUTS ? readAmplifyOutputs(given.AMPLIFY_OUTPUTS) : {};
  const result = schema.safeParse({ ...outputs, ...given });
  if (!result.success) {
    throw new EnvError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  }
  return toEnv(result.data);
}

function readAmplifyOutputs(path: string): AmplifyOutputs {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new EnvError(['AMPLIFY_OUTPUTS: the file cannot be read']);
  }
  return parseAmplifyOutputs(text);
}

function toEnv(vars: z.infer<typeof schema>): Env {
  // A region is the part before `_` in a user pool's id and before `:` in an identity pool's.
  const poolRegion = vars.COGNITO_USER_POOL_ID.split('_', 1)[0] ?? '';
  const identityRegion = vars.COGNITO_IDENTITY_POOL_ID.split(':', 1)[0] ?? '';
  const userPoolOrigin = `https://${userPoolHost(poolRegion)}`;
  return {
    appOrigin: vars.APP_ORIGIN,
    port: vars.PORT,
    logLevel: vars.LOG_LEVEL,
    trustedProxies: vars.TRUSTED_PROXIES,
    builds: { keep: vars.KEEP_BUILDS, directory: vars.BUILDS_DIRECTORY },
    session: {
      secrets: vars.SESSION_SECRETS,
      secure: vars.SESSION_COOKIE_SECURE,
      sameSite: vars.SESSION_COOKIE_SAME_SITE,
      maxAge: vars.SESSION_MAX_DAYS * DAY,
      maxIdle: vars.SESSION_IDLE_DAYS * DAY,
    },
    userPool: {
      region: poolRegion,
      id: vars.COGNITO_USER_POOL_ID,
      clientId: vars.COGNITO_CLIENT_ID,
      clientSecret: vars.COGNITO_CLIENT_SECRET ?? null,
      domain: vars.COGNITO_DOMAIN,
      issuer: vars.COGNITO_ISSUER ?? `${userPoolOrigin}/${vars.COGNITO_USER_POOL_ID}`,
      endpoint: vars.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER ?? userPoolOrigin,
      refreshOperation: vars.COGNITO_REFRESH_OPERATION,
    },
    identityPool: {
      region: identityRegion,
      id: vars.COGNITO_IDENTITY_POOL_ID,
      allowGuests: vars.COGNITO_ALLOW_GUESTS,
      endpoint: vars.AWS_ENDPOINT_URL_COGNITO_IDENTITY ?? null,
    },
    dataApi: {
      endpoint: vars.GRAPHQL_ENDPOINT,
      region: vars.GRAPHQL_REGION ?? vars.AWS_REGION ?? poolRegion,
      authMode: vars.GRAPHQL_AUTH_MODE,
      operations: vars.GRAPHQL_OPERATIONS,
    },
    redisUrl: vars.REDIS_URL ?? null,
    rateLimitScale: vars.RATE_LIMIT_SCALE,
    metrics: vars.METRICS_PORT === undefined ? null : { host: vars.METRICS_HOST, port: vars.METRICS_PORT },
    iconApiHosts: vars.ICON_API_HOSTS,
  };
}

/** The host of the user pools API in a region: the China partition has its own domain. */
export function userPoolHost(region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `cognito-idp.${region}.${domain}`;
}
