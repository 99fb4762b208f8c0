/** Calls of services whose SDK clients the doctor does not need otherwise: DynamoDB, SES and Lambda. */
import { createHash, createHmac } from 'node:crypto';
import { CognitoIdentityClient } from '@aws-sdk/client-cognito-identity';
import { SignatureV4 } from '@aws-sdk/signature-v4';
import { callAccount, type OperatorOptions } from './operator-calls.ts';

export type AwsRequest = {
  /** The service in the signature, such as `dynamodb`. */
  service: string;
  /** The first part of its host name, if that is another word. */
  host?: string;
  region: string;
  /** A path in encoded form. The default is `/`. */
  path?: string;
  /** The operation of a JSON protocol, such as `DynamoDB_20120810.DescribeTable`, and its input. */
  target?: string;
  input?: unknown;
};

/** The hash function that `SignatureV4` needs. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;

  constructor(secret?: unknown) {
    this.#hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', secret as string | Uint8Array);
  }

  update(data: unknown): void {
    this.#hash.update(data as string | Uint8Array);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    throw new Error('A hash is used once.');
  }
}

/**
 * Calls a service with the credentials of the SDK's standard chain and returns the response. Resolves to null when the
 * resource does not exist. Throws a `FindingError` for every other failure, with the `permission` that the call needs.
 */
export function callService(
  request: AwsRequest,
  permission: string,
  { endpoint, timeoutMs }: OperatorOptions,
  signal: AbortSignal,
): Promise<unknown> {
  return callAccount(permission, async () => {
    const { service, region } = request;
    const url = new URL(request.path ?? '/', endpoint ?? addressOf(request));
    const isRead = request.target === undefined;
    const signer = new SignatureV4({ service, region, credentials: credentialsOf(region), sha256: Sha256 });
    const body = isRead ? '' : JSON.stringify(request.input);
    const signed = await signer.sign({
      method: isRead ? 'GET' : 'POST',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: {},
      headers: {
        host: url.host,
        ...(request.target === undefined
          ? {}
          : { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': request.target }),
      },
      body,
    });
    const { host: _, ...headers } = signed.headers;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, {
      method: signed.method,
      headers,
      signal: limit,
      ...(isRead ? {} : { body }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as unknown;
    throw namedError(response, text);
  });
}

function credentialsOf(region: string) {
  return new CognitoIdentityClient({ region }).config.credentials;
}

function addressOf({ service, host = service, region }: AwsRequest): string {
  return `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** An error with the name that AWS gives, in a header or in the body. */
function namedError({ headers, status }: Response, text: string): Error {
  const [, inBody] = /"__type":\s*"(?:[^"#]*#)?(\w+)"/.exec(text) ?? [];
  const name = headers.get('x-amzn-errortype')?.split(':')[0] ?? inBody ?? `Status${status}`;
  return Object.assign(new Error(`status ${status}`), { name });
}
