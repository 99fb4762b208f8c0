/** Shorter values are not treated as secrets, because ordinary words contain them. */
const MIN_LENGTH = 6;
const VARIABLES = [
  'COGNITO_CLIENT_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_ACCESS_KEY_ID',
];

export type Secrets = {
  /** From now on `hide` removes this value. */
  add(value: string): void;
  /** Returns the text with `[hidden]` in place of every secret. */
  hide(text: string): string;
};

/** Collects the secrets of an environment. No message contains one; `hide` is a second line of defense. */
export function collectSecrets(variables: Record<string, string | undefined>): Secrets {
  const values = new Set<string>();
  const add = (value: string | undefined) => {
    if (value !== undefined && value.length >= MIN_LENGTH) values.add(value);
  };
  for (const name of VARIABLES) add(variables[name]);
  for (const secret of variables.SESSION_SECRETS?.split(',') ?? []) add(secret.trim());
  const { REDIS_URL = '' } = variables;
  if (URL.canParse(REDIS_URL)) {
    const { password } = new URL(REDIS_URL);
    add(password);
    add(decodeURIComponent(password));
  }
  return {
    add,
    hide: (text) => [...values].reduce((hidden, value) => hidden.replaceAll(value, '[hidden]'), text),
  };
}
