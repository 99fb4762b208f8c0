/** The environment variables of the site: their formats, defaults and error messages. */
import { z } from 'zod';
import {
  contact,
  days,
  domain,
  flag,
  origin,
  origins,
  port,
  publicUrl,
  recheckSeconds,
  required,
  secrets,
  url,
  wholeNumber,
} from './env-values.ts';

/** Parses the variables that are set. Error messages never contain a value. */
export const envSchema = z
  .object({
    APP_ORIGIN: required('where visitors find the site').pipe(origin),
    PORT: port.default(3000),
    LISTEN_HOST: z.string().min(1).optional(),
    LOG_LEVEL: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'], {
        error: 'must be debug, info, warn, error or silent',
      })
      .default('info'),
    DRAIN_SECONDS: wholeNumber.max(300).default(2),
    TRUSTED_PROXIES: wholeNumber.max(10).default(0),
    REDIS_URL: z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' }).optional(),
    RATE_LIMIT_SCALE: z.coerce.number({ error: 'must be a number' }).min(0).max(1000).default(1),
    METRICS_PORT: port.optional(),
    METRICS_HOST: z.string().min(1).default('127.0.0.1'),
    KEEP_BUILDS: wholeNumber.max(100).default(3),
    BUILDS_DIRECTORY: z.string().min(1).default('build/kept'),
    SESSION_SECRETS: required('the secrets that encrypt session cookies').pipe(secrets),
    SESSION_COOKIE_SAME_SITE: z
      .enum(['strict', 'lax', 'none'], { error: 'must be strict, lax or none' })
      .default('lax'),
    SESSION_MAX_DAYS: days.default(365),
    SESSION_IDLE_DAYS: days.default(30),
    SESSION_RECHECK_SECONDS: recheckSeconds.optional(),
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
    SOURCE_URL: publicUrl.optional(),
    DOCS_URL: publicUrl.optional(),
    PRIVACY_CONTACT: contact.optional(),
    SECURITY_CONTACT: contact.optional(),
    ICON_API_HOSTS: origins.default([]),
    AWS_ENDPOINT_URL_COGNITO_IDENTITY: url.optional(),
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: url.optional(),
  })
  .refine(
    (vars) => vars.SESSION_COOKIE_SAME_SITE !== 'none' || String(vars.APP_ORIGIN).startsWith('https:'),
    {
      path: ['SESSION_COOKIE_SAME_SITE'],
      error: 'none needs an https address in APP_ORIGIN',
      // Check this also when other variables are invalid.
      when: () => true,
    },
  );
