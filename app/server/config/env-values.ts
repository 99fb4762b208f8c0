/** The kinds of values that environment variables have. Messages say what is wanted, and never what was given. */
import { z } from 'zod';

const MIN_SECRET_LENGTH = 32;

/** Scheme, host and port, with nothing after them. */
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

/** A hosted login is given as a bare domain by AWS and as an origin by everybody else. */
export const domain = z
  .string()
  .transform((value) => (value.includes('://') ? value : `https://${value}`))
  .pipe(origin);

/** Without the slashes that it may end with. */
export const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((value) => value.replace(/\/+$/, ''));

/** Comma-separated; `none` for an empty list. */
export const origins = z
  .string()
  .transform((value) => (value === 'none' ? [] : value.split(',').map((part) => part.trim())))
  .pipe(z.array(origin));

/** `true` or `false`, in letters. */
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

/** One or more, comma-separated, none of them guessable. */
export const secrets = z.string().transform((value, context) => {
  const [first, ...rest] = value.split(',').map((secret) => secret.trim());
  if (first !== undefined && [first, ...rest].every(isStrongSecret)) return [first, ...rest] as const;
  context.addIssue(
    `must be one or more comma-separated random secrets of at least ${MIN_SECRET_LENGTH} characters each, for example from: openssl rand -base64 32`,
  );
  return z.NEVER;
});

/** Long enough, and not the kind of text that stands in an example file. */
function isStrongSecret(secret: string): boolean {
  return (
    secret.length >= MIN_SECRET_LENGTH &&
    new Set(secret).size >= 10 &&
    !/change|secret|example|placeholder/i.test(secret)
  );
}

/** A variable without a default; `what` is said when it is missing. */
export const required = (what: string) => z.string({ error: `is missing: ${what}` });
/** A port that is listened on; 0 is any free one. */
export const port = z.coerce.number({ error: 'must be a port number' }).int().min(0).max(65535);

/** 0 or above. */
export const wholeNumber = z.coerce.number({ error: 'must be a whole number' }).int().min(0);

/** Above 0, at most a year. */
export const days = z.coerce
  .number({ error: 'must be a number of days' })
  .positive('must be a number of days above 0')
  .max(365, 'must be at most 365');
