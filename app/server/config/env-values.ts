/** Schemas for the values of environment variables. Error messages never contain the given value. */
import { z } from 'zod';

const MIN_SECRET_LENGTH = 32;

/** An origin: scheme, host and port. */
export const origin = z.string().transform((value, context) => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.pathname === '/' &&
    !parsed.search &&
    !parsed.hash
  ) {
    return parsed.origin;
  }
  context.addIssue('must be an http or https origin such as https://example.com, without a path');
  return z.NEVER;
});

/** Whether requests to an address stay on this machine or are encrypted. Tokens and secrets are sent to upstreams. */
function isConfidential(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

const confidential = { error: 'must use https, except on this machine' };

/** An origin, or a bare domain such as AWS uses for the hosted login. Results in an origin. */
export const domain = z
  .string()
  .transform((value) => (value.includes('://') ? value : `https://${value}`))
  .pipe(origin)
  .refine(isConfidential, confidential);

/** The URL of an upstream; trailing slashes are removed. */
export const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
  .refine(isConfidential, confidential)
  .transform((value) => value.replace(/(?<!\/)\/+$/, ''));

/** A URL that pages link to: https, without a user name or password; trailing slashes are removed. */
export const publicUrl = z.string().transform((value, context) => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed?.protocol === 'https:' && parsed.username === '' && parsed.password === '') {
    return parsed.href.replace(/(?<!\/)\/+$/, '');
  }
  context.addIssue('must be an https URL such as https://example.com/docs, without a password');
  return z.NEVER;
});

/** An email address, with or without `mailto:`, or an https URL. Results in an address for links. */
export const contact = z.string().transform((value, context) => {
  const email = value.replace(/^mailto:/i, '');
  if (z.email().safeParse(email).success) return `mailto:${email}`;
  const page = publicUrl.safeParse(value);
  if (page.success) return page.data;
  context.addIssue('must be an email address or an https URL such as https://example.com/contact');
  return z.NEVER;
});

/** Comma-separated origins of upstreams; `none` for an empty list. */
export const origins = z
  .string()
  .transform((value) => (value === 'none' ? [] : value.split(',').map((part) => part.trim())))
  .pipe(z.array(origin).refine((list) => list.every(isConfidential), confidential));

/** `true` or `false`. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

/** One or more comma-separated secrets that are long and random enough. */
export const secrets = z.string().transform((value, context) => {
  const [first, ...rest] = value.split(',').map((secret) => secret.trim());
  if (first !== undefined && [first, ...rest].every(isStrongSecret)) return [first, ...rest] as const;
  context.addIssue(
    `must be one or more comma-separated random secrets of at least ${MIN_SECRET_LENGTH} characters each, for example from: openssl rand -base64 32`,
  );
  return z.NEVER;
});

/** Whether a secret is long, has many different characters, and is not a placeholder. */
function isStrongSecret(secret: string): boolean {
  return (
    secret.length >= MIN_SECRET_LENGTH &&
    new Set(secret).size >= 10 &&
    !/change|secret|example|placeholder/i.test(secret)
  );
}

/** A variable without a default. `what` is part of the error message when it is missing. */
export const required = (what: string) => z.string({ error: `is missing: ${what}` });

/** A port to listen on; 0 means any free port. */
export const port = z.coerce.number({ error: 'must be a port number' }).int().min(0).max(65535);

/** An integer of at least 0. */
export const wholeNumber = z.coerce.number({ error: 'must be a whole number' }).int().min(0);

/** More than 0, at most 365. */
export const days = z.coerce
  .number({ error: 'must be a number of days' })
  .positive('must be a number of days above 0')
  .max(365, 'must be at most 365');

const RECHECK_LIMITS = 'must be a number of seconds from 1 to 86400';

/** Whole seconds, at most a day: the longest lifetime of a token. */
export const recheckSeconds = z.coerce
  .number({ error: RECHECK_LIMITS })
  .int(RECHECK_LIMITS)
  .min(1, RECHECK_LIMITS)
  .max(86_400, RECHECK_LIMITS);
