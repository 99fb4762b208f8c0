/** Explains errors of the AWS SDK in one or two sentences. */

const SIGN_IN_AGAIN = 'Sign in again, for example with `aws sso login`, or set new credentials.';

/** Explanations by the error's name. AWS services name the same error differently. */
const explanations: Record<string, (message: string, region: string) => string> = {
  CredentialsProviderError(message) {
    if (/expired/i.test(message)) return `The AWS sign-in has expired. ${SIGN_IN_AGAIN}`;
    const profile = process.env.AWS_PROFILE;
    return profile
      ? `The AWS profile ${profile}, which AWS_PROFILE names, has no usable credentials (${withoutPeriod(message)}).`
      : `There are no usable AWS credentials (${withoutPeriod(message)}). Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
  },
  ExpiredToken: () => `The AWS session has expired. ${SIGN_IN_AGAIN}`,
  InvalidClientTokenId: (_message, region) =>
    `AWS does not accept these credentials in ${region}. Check the access key, and whether the region is enabled for the account.`,
  SignatureDoesNotMatch: () =>
    'AWS rejects the signature of the request. Check AWS_SECRET_ACCESS_KEY and the clock of this machine.',
  AccessDenied: (message) =>
    `The AWS user or role lacks a permission: ${withoutPeriod(message)}. docs/deploy-to-aws.md lists the permissions.`,
  Throttling: () => 'AWS limits the number of requests at the moment. Try again in a minute.',
  ValidationError: (message) => `CloudFormation rejects the request: ${withoutPeriod(message)}.`,
  LimitExceededException: (message) => `A quota of the AWS account is used up: ${withoutPeriod(message)}.`,
};

const sameAs: Record<string, string> = {
  TokenProviderError: 'CredentialsProviderError',
  ExpiredTokenException: 'ExpiredToken',
  RequestExpired: 'ExpiredToken',
  UnrecognizedClientException: 'InvalidClientTokenId',
  OptInRequired: 'InvalidClientTokenId',
  InvalidSignatureException: 'SignatureDoesNotMatch',
  AccessDeniedException: 'AccessDenied',
  UnauthorizedOperation: 'AccessDenied',
  ThrottlingException: 'Throttling',
  TooManyRequestsException: 'Throttling',
};

/** What happened and what to do, or null for an error that is not known to come from AWS or the way to it. */
export function explainAwsError(error: unknown, region: string): string | null {
  if (!(error instanceof Error)) return null;
  const explain = explanations[sameAs[error.name] ?? error.name];
  if (explain) return explain(error.message, region);
  if (/^Region (?:is missing|not accepted)/.test(error.message)) {
    return 'There is no AWS region. Add --region, for example --region eu-central-1, or set AWS_REGION.';
  }
  const code = 'code' in error ? String(error.code) : error.name;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `The address of AWS in the region ${region} cannot be found. Check the name of the region and the network.`;
  }
  if (/^(?:ECONN|ETIMEDOUT|EHOST|ENET|EPIPE|TimeoutError)/.test(code)) {
    return `AWS cannot be reached (${code}). Check the network and AWS_ENDPOINT_URL, then run the command again.`;
  }
  if ('$metadata' in error) return `AWS reports ${error.name}: ${withoutPeriod(error.message)}.`;
  return null;
}

function withoutPeriod(message: string): string {
  return message.trim().replace(/\.$/, '');
}
