/**
 * The site's configuration. Only this module reads its variables from `process.env`; all others receive an `Env`. Secrets
 * have no defaults.
 */
import { readFileSync } from 'node:fs';
import type { SessionSettings, UserPoolSettings } from '@tenfold/cognito-session';
import type { z } from 'zod';
import { type AmplifyOutputs, parseAmplifyOutputs } from './amplify-outputs.ts';
import { EnvError } from './env-error.ts';
import { envSchema } from './env-schema.ts';

export type Env = {
  /** The public origin of the site: scheme, host and port. All absolute URLs are derived from it. */
  appOrigin: string;
  port: number;
  /** The address that the server listens on; null: every address of the machine. */
  listenHost: string | null;
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** How long the server still accepts requests after SIGTERM, until the load balancer sends no more. */
  drainSeconds: number;
  /** The number of proxies in front of the site whose `X-Forwarded-For` entries are trusted. */
  trustedProxies: number;
  /** How many earlier builds' assets are archived and served, and in which directory. */
  builds: { keep: number; directory: string };
  session: SessionSettings;
  userPool: UserPoolSettings;
  /** `endpoint` is null for the AWS SDK's default. */
  identityPool: { region: string; id: string; endpoint: string | null; allowGuests: boolean };
  dataApi: { endpoint: string; region: string; authMode: 'iam' | 'userPool' };
  /** The Valkey or Redis of the shared store; null: in-memory store. May contain a password: never logged. */
  redisUrl: string | null;
  /** Multiplies every rate limit; 0 turns them off. */
  rateLimitScale: number;
  /** Where the metrics are served, separately from the site; null: not at all. */
  metrics: { host: string; port: number } | null;
  /** Addresses of other sites that pages link to; null: no link. The contact is a `mailto:` or `https:` address. */
  links: { source: string | null; docs: string | null; privacyContact: string | null };
  /** Where to report vulnerabilities, a `mailto:` or `https:` address; null: there is no security.txt. */
  securityContact: string | null;
  /** Origins of an icon API, in order of preference; empty: installed icons only. */
  iconApiHosts: readonly string[];
};

const DAY = 24 * 60 * 60;

/**
 * The configuration of the site from environment variables. Variables that are not set are taken from the
 * `amplify_outputs.json` that `AMPLIFY_OUTPUTS` names. Throws one `EnvError` with all invalid variables.
 */
export function parseEnv(variables: Record<string, string | undefined> = process.env): Env {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''),
  );
  const outputs = given.AMPLIFY_OUTPUTS ? readAmplifyOutputs(given.AMPLIFY_OUTPUTS) : {};
  const result = envSchema.safeParse({ ...outputs, ...given });
  const missing = given.AMPLIFY_OUTPUTS ? missingFromOutputs({ ...outputs, ...given }) : {};
  if (!result.success || Object.keys(missing).length > 0) {
    const issues = result.error?.issues.map(({ path, message }) => ({ name: path.join('.'), message })) ?? [];
    const problems = issues.filter(({ name }) => !Object.hasOwn(missing, name));
    throw new EnvError([
      ...problems.map(({ name, message }) => `${name}: ${message}`),
      ...Object.values(missing),
    ]);
  }
  return toEnv(result.data);
}

/**
 * The error messages for variables that are not set and that an `amplify_outputs.json` does not always contain, by
 * name. They explain why the file lacks the value.
 */
function missingFromOutputs(variables: Record<string, string | undefined>): Record<string, string> {
  const { COGNITO_DOMAIN, GRAPHQL_ENDPOINT, GRAPHQL_AUTH_MODE } = variables;
  return {
    ...(COGNITO_DOMAIN
      ? {}
      : {
          COGNITO_DOMAIN:
            'COGNITO_DOMAIN: is missing: AMPLIFY_OUTPUTS names a domain only for projects with external identity providers. Add a domain to the user pool and set it here.',
        }),
    ...(GRAPHQL_ENDPOINT && !GRAPHQL_AUTH_MODE
      ? {
          GRAPHQL_AUTH_MODE:
            'GRAPHQL_AUTH_MODE: is missing: AMPLIFY_OUTPUTS names neither AWS_IAM nor AMAZON_COGNITO_USER_POOLS. Add one of them to the API and set iam or userPool here.',
        }
      : {}),
  };
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

type Variables = z.infer<typeof envSchema>;

function toEnv(vars: Variables): Env {
  const userPool = toUserPoolEnv(vars);
  return {
    appOrigin: vars.APP_ORIGIN,
    port: vars.PORT,
    listenHost: vars.LISTEN_HOST ?? null,
    logLevel: vars.LOG_LEVEL,
    drainSeconds: vars.DRAIN_SECONDS,
    trustedProxies: vars.TRUSTED_PROXIES,
    builds: { keep: vars.KEEP_BUILDS, directory: vars.BUILDS_DIRECTORY },
    session: toSessionEnv(vars),
    userPool,
    identityPool: {
      // The id is `{region}:{name}`.
      region: vars.COGNITO_IDENTITY_POOL_ID.split(':', 1)[0] ?? '',
      id: vars.COGNITO_IDENTITY_POOL_ID,
      allowGuests: vars.COGNITO_ALLOW_GUESTS,
      endpoint: vars.AWS_ENDPOINT_URL_COGNITO_IDENTITY ?? null,
    },
    dataApi: {
      endpoint: vars.GRAPHQL_ENDPOINT,
      region: vars.GRAPHQL_REGION ?? vars.AWS_REGION ?? userPool.region,
      authMode: vars.GRAPHQL_AUTH_MODE,
    },
    redisUrl: vars.REDIS_URL ?? null,
    rateLimitScale: vars.RATE_LIMIT_SCALE,
    metrics: vars.METRICS_PORT === undefined ? null : { host: vars.METRICS_HOST, port: vars.METRICS_PORT },
    links: {
      source: vars.SOURCE_URL ?? null,
      docs: vars.DOCS_URL ?? null,
      privacyContact: vars.PRIVACY_CONTACT ?? null,
    },
    securityContact: vars.SECURITY_CONTACT ?? null,
    iconApiHosts: vars.ICON_API_HOSTS,
  };
}

function toSessionEnv(vars: Variables): Env['session'] {
  return {
    namespace: 'tenfold',
    secrets: vars.SESSION_SECRETS,
    secure: vars.APP_ORIGIN.startsWith('https:'),
    sameSite: vars.SESSION_COOKIE_SAME_SITE,
    maxAge: vars.SESSION_MAX_DAYS * DAY,
    maxIdle: vars.SESSION_IDLE_DAYS * DAY,
    recheckAfter: vars.SESSION_RECHECK_SECONDS ?? null,
  };
}

function toUserPoolEnv(vars: Variables): Env['userPool'] {
  // The id is `{region}_{name}`.
  const region = vars.COGNITO_USER_POOL_ID.split('_', 1)[0] ?? '';
  const origin = `https://${userPoolHost(region)}`;
  return {
    region,
    id: vars.COGNITO_USER_POOL_ID,
    clientId: vars.COGNITO_CLIENT_ID,
    clientSecret: vars.COGNITO_CLIENT_SECRET ?? null,
    domain: vars.COGNITO_DOMAIN,
    issuer: vars.COGNITO_ISSUER ?? `${origin}/${vars.COGNITO_USER_POOL_ID}`,
    endpoint: vars.AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER ?? origin,
    refreshOperation: vars.COGNITO_REFRESH_OPERATION,
  };
}

/** The host of the user pools API in a region: the China partition has its own domain. */
function userPoolHost(region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `cognito-idp.${region}.${domain}`;
}
