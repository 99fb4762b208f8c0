/** Keeps secrets out of the output. */

/** Shorter values are not treated as secrets, because ordinary words contain them. */
const MIN_LENGTH = 6;
const VARIABLES = [
  'COGNITO_CLIENT_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ACCESS_KEY_ID',
];

/** Cognito creates client secrets of about 52 lower-case letters and digits. Its client ids have 26. */
const CLIENT_SECRET = /^[a-z0-9]{40,64}$/;

const HIDDEN = '[hidden]';

export type Secrets = {
  /** From now on `hide` removes this value. */
  add(value: string): void;
  /** Returns the text with `[hidden]` in place of every secret, and of every word that has the form of a client secret. */
  hide(text: string): string;
};

/** Whether a text has the form of a client secret of Cognito. */
export function isClientSecret(text: string): boolean {
  return CLIENT_SECRET.test(text);
}

/** Collects the secrets of an environment, also from values that are not valid. */
export function collectSecrets(variables: Record<string, string | undefined>): Secrets {
  const values = new Set<string>();
  const add = (value = '') => {
    for (const form of [value, encodeURIComponent(value)]) if (form.length >= MIN_LENGTH) values.add(form);
  };
  for (const name of VARIABLES) add(variables[name]?.trim());
  for (const secret of variables.SESSION_SECRETS?.split(',') ?? []) add(secret.trim());
  for (const password of passwordsOf(variables.REDIS_URL ?? '')) add(password);
  const hide = (text: string): string => {
    // A value may be a part of another one.
    const longestFirst = [...values].sort((a, b) => b.length - a.length);
    const withoutValues = longestFirst.reduce((hidden, value) => hidden.replaceAll(value, HIDDEN), text);
    return withoutValues.replace(/[A-Za-z0-9]+/g, (word) => (isClientSecret(word) ? HIDDEN : word));
  };
  return { add, hide };
}

/** The password of an address as it is written and decoded. It may contain characters that make the address invalid. */
function passwordsOf(address: string): string[] {
  const [, password = ''] = /^\w+:\/\/[^:]*:(.*)@/s.exec(address) ?? [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
