import { CognitoIdentityClient } from '@aws-sdk/client-cognito-identity';
import { untilAborted } from '../../../app/server/resilience/deadline.ts';

/**
 * Returns null if the standard chain of the SDK finds AWS credentials within `timeoutMs`, else why it does not, as a
 * sentence. The SDK clients of all services use the same chain.
 */
export async function explainMissingCredentials(region: string, timeoutMs: number): Promise<string | null> {
  const { config } = new CognitoIdentityClient({ region });
  try {
    await untilAborted(config.credentials(), AbortSignal.timeout(timeoutMs));
    return null;
  } catch (error) {
    const name = error instanceof Error ? error.name : 'Unknown';
    return name === 'CredentialsProviderError' || name === 'TimeoutError'
      ? 'There are no AWS credentials.'
      : `The AWS credentials cannot be read (${name}).`;
  }
}
