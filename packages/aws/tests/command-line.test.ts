import { describe, expect, it } from 'vitest';
import { explainAwsError } from '../command/aws-errors.ts';
import { checkNames, readOptions, stackOptions } from '../command/command-line.ts';
import { parameterOptions } from '../stack/template-parameters.ts';

const CERTIFICATE = '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9';

function parse(option: string, value: string): string {
  const found = parameterOptions.find((candidate) => candidate.option === option);
  if (found === undefined) throw new Error(`There is no option ${option}`);
  return found.parse(value);
}

describe('a parameter of the template', () => {
  it.each([
    ['origin', 'https://example.com, http://localhost:3000', 'https://example.com,http://localhost:3000'],
    ['certificate', `arn:aws:acm:us-east-1:123456789012:certificate/${CERTIFICATE}`, CERTIFICATE],
    ['email-from', 'Example <no-reply@example.com>', 'Example <no-reply@example.com>'],
    ['custom-domain', 'none', 'none'],
  ])('--%s accepts %s', (option, value, expected) => {
    expect(parse(option, value)).toBe(expected);
  });

  it.each([
    [
      'origin',
      'https://example.com/path',
      /^--origin must be an origin such as https:\/\/example\.com, without a path/,
    ],
    ['origin', 'http://example.com', /plain HTTP only for localhost\.$/],
    ['origin', 'https://example.com,', /^--origin must be/],
    [
      'domain-prefix',
      'my-cognito',
      /^--domain-prefix must be a prefix without the words aws, amazon and cognito/,
    ],
    ['domain-prefix', 'My_Site', /^--domain-prefix must be at most 63 lowercase letters/],
    [
      'custom-domain',
      'localhost',
      /^--custom-domain must be a domain such as login\.example\.com, or none\.$/,
    ],
    [
      'certificate',
      `arn:aws:acm:eu-central-1:123456789012:certificate/${CERTIFICATE}`,
      /^--certificate must be a certificate in us-east-1, .* in eu-central-1\.$/,
    ],
    ['certificate', 'my-certificate', /^--certificate must be the ARN of an ACM certificate/],
    ['email-identity', 'arn:aws:ses', /^--email-identity must be a domain or an e-mail address/],
    ['email-from', 'Example', /^--email-from must be an e-mail address/],
    ['threat-protection', 'on', /^--threat-protection must be none or audit or enforced\.$/],
    ['alarm-email', 'operator', /^--alarm-email must be an e-mail address, or none\.$/],
    ['monthly-budget', '$50', /^--monthly-budget must be a number of US dollars, or 0\.$/],
    [
      'permissions-boundary',
      'arn:aws:iam::123456789012:policy/boundary',
      /^--permissions-boundary must be the name of a managed policy, or none\.$/,
    ],
    ['log-retention-days', 'a week', /^--log-retention-days must be a number of days\.$/],
  ])('--%s refuses %s', (option, value, message) => {
    expect(() => parse(option, value)).toThrow(message);
  });
});

describe('the options of both commands', () => {
  it.each([
    [['now'], /^Unexpected argument 'now'\..* Add --help to see the options\.$/],
    [['--region'], /^Option '--region <value>' argument missing\. Add --help/],
  ])('%j are refused in one sentence', (args, message) => {
    expect(() => readOptions(args, stackOptions)).toThrow(message);
  });

  it('name the stack and the region', () => {
    expect(() => checkNames('tenfold', undefined)).not.toThrow();
    expect(() => checkNames('my-site', 'us-gov-west-1')).not.toThrow();
    expect(() => checkNames('1st', undefined)).toThrow(/^--stack-name must start with a letter/);
    expect(() => checkNames('tenfold', 'frankfurt')).toThrow('"frankfurt" is not the name of an AWS region');
  });
});

describe('an error of AWS', () => {
  const named = (name: string, message = '') => Object.assign(new Error(message), { name });

  it.each([
    [
      named('CredentialsProviderError', 'The SSO session has expired.'),
      /^The AWS sign-in has expired\. Sign in again/,
    ],
    [
      named('SignatureDoesNotMatch'),
      /^AWS rejects the signature of the request\. Check AWS_SECRET_ACCESS_KEY and the clock/,
    ],
    [named('ExpiredToken'), /^The AWS session has expired\. Sign in again/],
    [
      named('ValidationError', "Parameter 'LogRetentionDays' must be one of AllowedValues"),
      /^CloudFormation rejects the request: Parameter 'LogRetentionDays' must be one of AllowedValues\.$/,
    ],
    [named('ThrottlingException', 'Rate exceeded'), /^AWS limits the number of requests at the moment\./],
    [
      named('LimitExceededException', 'Too many pools.'),
      /^A quota of the AWS account is used up: Too many pools\.$/,
    ],
    [
      Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }),
      /^The address of AWS in the region xx-test-1 cannot be found\./,
    ],
    [Object.assign(named('OtherError', 'Odd'), { $metadata: {} }), /^AWS reports OtherError: Odd\.$/],
  ])('is explained: %s', (error, explanation) => {
    expect(explainAwsError(error, 'xx-test-1')).toMatch(explanation);
  });

  it('is not made of an error of the program', () => {
    expect(explainAwsError(new TypeError('x is not a function'), 'xx-test-1')).toBeNull();
  });
});
