/**
 * AWS Signature Version 4, in the header form. Everything comes as an argument: no clock, no environment, no network.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHmac, type Hmac, hash } from 'node:crypto';
import { SignatureV4 } from '@aws-sdk/signature-v4';

export type AwsCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  /** What temporary credentials come with; long-lived ones have none. */
  sessionToken?: string;
};

export type UnsignedRequest = {
  method: string;
  url: URL;
  /** Names in any case. `host`, `x-amz-date` and `x-amz-security-token` are added here. */
  headers: Record<string, string>;
  body: string;
  credentials: AwsCredentials;
  region: string;
  service: string;
  /** The time that the service will compare with its own: at most five minutes off. */
  signingDate: Date;
};

/**
 * The headers to send: those given, the date, the session token and `authorization`. `host` is signed and left out,
 * since an HTTP client derives it from the address. The path is signed as it stands on the wire and encoded once
 * more, as every service but S3 expects.
 */
export async function signRequest(request: UnsignedRequest): Promise<Record<string, string>> {
  const { url, credentials, region, service } = request;
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: false });
  const { headers } = await signer.sign(
    {
      method: request.method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: queryOf(url),
      headers: { ...request.headers, host: url.host },
      body: request.body,
    },
    { signingDate: request.signingDate },
  );
  const { host: _derived, ...sent } = headers;
  return sent;
}

function queryOf({ searchParams }: URL): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

type Bytes = string | ArrayBuffer | ArrayBufferView;

/** SHA-256, and HMAC-SHA-256 with a key, in the shape that the signer asks for. */
class Sha256 {
  readonly #hmac: Hmac | null;
  readonly #chunks: Buffer[] = [];

  constructor(key?: Bytes) {
    this.#hmac = key === undefined ? null : createHmac('sha256', toBuffer(key));
  }

  update(chunk: Bytes): void {
    this.#chunks.push(toBuffer(chunk));
  }

  async digest(): Promise<Uint8Array> {
    const bytes = Buffer.concat(this.#chunks);
    return this.#hmac ? this.#hmac.update(bytes).digest() : hash('sha256', bytes, 'buffer');
  }
}

function toBuffer(bytes: Bytes): Buffer {
  if (typeof bytes === 'string') return Buffer.from(bytes);
  if (ArrayBuffer.isView(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Buffer.from(bytes);
}
