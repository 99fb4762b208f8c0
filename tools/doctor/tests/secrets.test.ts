/** Secrets in what `npm run doctor` prints. */
import { describe, expect, it } from 'vitest';
import { collectSecrets, isClientSecret } from '../secrets.ts';

const CLIENT_ID = '1h57kf5cpq17m0eml12EXAMPLE'.toLowerCase();
const CLIENT_SECRET = '9kvq3m5h8j2x7c4b6n1w0z9y8t7r6e5d4s3a2q1p0o9i8u7y6t5r';
const SESSION_SECRETS = 'q8Rt5vXw2LbT9mZc4NpKs7HdYg1JfUe3, older+/Rt5vXw2LbT9mZc4NpKs7HdYg';

const environment = {
  COGNITO_CLIENT_ID: CLIENT_ID,
  COGNITO_CLIENT_SECRET: ` ${CLIENT_SECRET} `,
  SESSION_SECRETS,
  REDIS_URL: 'rediss://default:p%40ss"w/rd#1@redis.example:6379/0',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const secrets = [
  CLIENT_SECRET,
  ...SESSION_SECRETS.split(', '),
  'p%40ss"w/rd#1',
  'p@ss"w/rd#1',
  environment.AWS_SECRET_ACCESS_KEY,
];

describe('the output', () => {
  it('contains no secret of the environment, whatever a finding says', () => {
    const { hide } = collectSecrets(environment);
    for (const secret of secrets.flatMap((value) => [value, encodeURIComponent(value)]))
      expect(hide(`The site has '${secret}'.`)).toBe("The site has '[hidden]'.");
  });

  it('contains no client secret that is in the place of another value', () => {
    const { hide } = collectSecrets({ COGNITO_CLIENT_ID: CLIENT_SECRET, COGNITO_CLIENT_SECRET: CLIENT_ID });
    expect(hide(`The app client ${CLIENT_SECRET} does not exist`)).toBe(
      'The app client [hidden] does not exist',
    );
    expect(collectSecrets({}).hide(`client_id=${CLIENT_SECRET}&scope`)).toBe('client_id=[hidden]&scope');
  });

  it('contains no rest of a secret that begins with another one', () => {
    const { hide } = collectSecrets({ SESSION_SECRETS: 'abcdefgh,abcdefgh12345678' });
    expect(hide('abcdefgh12345678 abcdefgh')).toBe('[hidden] [hidden]');
  });

  it('contains no secret that a service has issued during the run', () => {
    const found = collectSecrets({});
    found.add('issued later');
    expect(found.hide('It is issued later.')).toBe('It is [hidden].');
  });

  it('contains ids, addresses and words that are no secrets', () => {
    const message = `The app client ${CLIENT_ID} of eu-west-1_Abcdefghi exists at https://redis.example:6379.`;
    expect(collectSecrets(environment).hide(message)).toBe(message);
  });
});

it('the form of a client secret is that of Cognito', () => {
  for (const value of [CLIENT_SECRET, CLIENT_SECRET.slice(0, 51)]) expect(isClientSecret(value)).toBe(true);
  for (const value of [CLIENT_ID, CLIENT_SECRET.toUpperCase()]) expect(isClientSecret(value)).toBe(false);
});
