import { CognitoIdentityClient } from '@aws-sdk/client-cognito-identity';
import { untilAborted } from '../../../../app/server/resilience/deadline.ts';

/**
 * Returns null if the standard chain of the SDK finds AWS credentials within `timeoutMs`, else why it does not, as a
 * sentence. `profile` is the value of AWS_PROFILE. The SDK clients of all services use the same chain.
 */
export async function explainMissingCredentials(
  region: string,
  { timeoutMs, profile }: { timeoutMs: number; profile: string | undefined },
): Promise<string | null> {
  const { config } = new CognitoIdentityClient({ region });
  try {
    await untilAborted(config.credentials(), AbortSignal.timeout(timeoutMs));
    return null;
  } catch (error) {
    return explain(error, profile);
  }
}

function explain(error: unknown, profile: string | undefined): string {
  const { name, message } = error instanceof Error ? error : new Error('Unknown');
  if (/expired|refresh failed/i.test(message)) {
    return 'The AWS sign-in has expired. Sign in again, for example with `aws sso login`.';
  }
  if (name !== 'CredentialsProviderError' && name !== 'TokenProviderError' && name !== 'TimeoutError') {
    return `The AWS credentials cannot be read (${name}).`;
  }
  return profile
    ? `The AWS profile ${profile}, which AWS_PROFILE names, does not exist on this machine or has no credentials.`
    : 'There are no AWS credentials.';
}
