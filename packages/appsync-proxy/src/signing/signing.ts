/**
 * AWS Signature Version 4 in the `Authorization` header, by the SDK's `SignatureV4`:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@aws-sdk/signature-v4';

export type AwsCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  /** Only for temporary credentials. */
  sessionToken?: string;
};

export type UnsignedRequest = {
  method: string;
  url: URL;
  /** Names in any case. `signRequest` adds `host`, `x-amz-date` and `x-amz-security-token`. */
  headers: Record<string, string>;
  body: string;
  region: string;
  service: string;
  credentials: AwsCredentials;
  /** The service rejects dates that differ from its own time by more than five minutes. */
  signingDate: Date;
};

/**
 * Resolves to the headers to send: those of the request, the host, the date, the session token and `authorization`. The
 * path is encoded twice, as every service except S3 expects.
 */
export async function signRequest(request: UnsignedRequest): Promise<Record<string, string>> {
  const { method, url, headers, body, region, service, credentials, signingDate } = request;
  // AppSync reads no checksum of the body in a header; the signature covers it.
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const unsigned = {
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: queryOf(url),
    headers: { ...headers, host: url.host },
    body,
  };
  const signed = await signer.sign(unsigned, { signingDate });
  return signed.headers;
}

function queryOf({ searchParams }: URL): Record<string, string[]> {
  return Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
}

/** SHA-256, or HMAC-SHA-256 with a key, in the interface that the SDK expects. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    // Node's types lack `ArrayBuffer`, which `createHmac` accepts.
    this.#hash =
      key === undefined ? createHash('sha256') : createHmac('sha256', key as string | NodeJS.ArrayBufferView);
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}
