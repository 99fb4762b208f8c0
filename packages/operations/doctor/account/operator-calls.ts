/** Calls to AWS with the credentials of an operator. They only read. */
import { FindingError, notChecked } from '../findings/finding.ts';

/** Settings of the SDK clients. All other settings come from the SDK's standard environment variables. */
export type OperatorOptions = {
  /** Sends all calls to another endpoint. The SDK's variables for single services take precedence. */
  endpoint?: string | undefined;
  timeoutMs: number;
};

const DENIED = /AccessDenied|UnauthorizedOperation|NotAuthorized/;
const REJECTED_CREDENTIALS =
  /ExpiredToken|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|UnauthorizedException/;

/** The configuration of an SDK client in a region. */
export function clientConfig(region: string, { endpoint, timeoutMs }: OperatorOptions) {
  return {
    region,
    ...(endpoint ? { endpoint } : {}),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
  };
}

/**
 * Runs a call that needs a permission such as `cognito-idp:DescribeUserPoolClient`. A failed call is no
 * evidence of a problem of the site: throws a `FindingError` that says why nothing was checked. Returns null when AWS
 * does not find the resource.
 */
export async function callAccount<T>(permission: string, call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (error) {
    const name = error instanceof Error ? error.name : 'Unknown';
    if (/^(ResourceNotFound|NotFound|NoSuchEntity)/.test(name)) return null;
    throw new FindingError(notChecked(explain(name, permission)));
  }
}

function explain(name: string, permission: string): string {
  if (DENIED.test(name)) return `The AWS credentials do not allow ${permission}.`;
  if (REJECTED_CREDENTIALS.test(name)) return `AWS rejects the AWS credentials (${name}).`;
  return `The call of ${permission} failed (${name}).`;
}
