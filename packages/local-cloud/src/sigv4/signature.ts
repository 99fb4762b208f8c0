/**
 * Verification of Signature Version 4, which AWS performs before a request reaches a service. The request is signed again
 * with the class of the AWS SDK, and the signatures are compared.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { SignatureV4 } from '@aws-sdk/signature-v4';

/** Temporary AWS credentials. */
export type AccessKey = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
  /** Milliseconds since the epoch. */
  expiration: number;
};

export type SignedRequest = { method: string; url: URL; headers: IncomingHttpHeaders; body: Buffer };

export type VerificationOptions<Key extends AccessKey> = {
  region: string;
  service: string;
  /** Milliseconds since the epoch. */
  now: number;
  findAccessKey(accessKeyId: string): Key | undefined;
};

/** Thrown when a signature is not accepted. `type` is the error type that AWS responds with. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';

  constructor(
    readonly type:
      | 'IncompleteSignatureException'
      | 'InvalidSignatureException'
      | 'UnrecognizedClientException'
      | 'ExpiredTokenException',
    message: string,
  ) {
    super(message);
  }
}

/** How far the time of a request may differ from the local cloud's clock. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60 * 1000;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, *SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})$/;

/**
 * Returns the access key that signed a request. Throws `SignatureError` when the signature is missing, incomplete or
 * wrong, when the key is unknown or expired, or when the signature is for another service, region or time.
 */
export async function verifySignature<Key extends AccessKey>(
  request: SignedRequest,
  { region, service, now, findAccessKey }: VerificationOptions<Key>,
): Promise<Key> {
  const { headers } = request;
  const authorization = AUTHORIZATION.exec(headers.authorization ?? '');
  const date = String(headers['x-amz-date'] ?? '');
  const time = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!authorization || Number.isNaN(time)) {
    throw new SignatureError(
      'IncompleteSignatureException',
      "Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' parameters, and a 'X-Amz-Date' header.",
    );
  }
  const [, accessKeyId = '', day, givenRegion, givenService, names = '', signature = ''] = authorization;
  const key = findAccessKey(accessKeyId);
  if (!key || headers['x-amz-security-token'] !== key.sessionToken) {
    throw new SignatureError(
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    );
  }
  if (key.expiration <= now) {
    throw new SignatureError(
      'ExpiredTokenException',
      'The security token included in the request is expired',
    );
  }
  if (givenRegion !== region || givenService !== service || !date.startsWith(day ?? '')) {
    throw invalidSignature(
      `Credential should be scoped to a valid region and to correct service: '${region}', '${service}', on the day of the request.`,
    );
  }
  if (Math.abs(now - time) > MAX_CLOCK_DIFFERENCE_MS) {
    throw invalidSignature(
      `Signature ${time < now ? 'expired' : 'not yet current'}: ${date} is not within 5 min. of ${basicFormat(now)}`,
    );
  }
  const signedHeaders = names.split(';');
  const unsigned = Object.keys(headers).filter(
    (name) => /^(?:host$|x-amz-)/.test(name) && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0) {
    throw invalidSignature(
      `There were headers present in the request which were not signed: ${unsigned.join(', ')}`,
    );
  }
  const expected = await sign(request, { signedHeaders, key, region, service, time });
  if (signature !== expected || !isDeclaredHashCorrect(request)) {
    throw invalidSignature(
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    );
  }
  return key;
}

type SigningOptions = {
  signedHeaders: string[];
  key: AccessKey;
  region: string;
  service: string;
  time: number;
};

/** Returns the signature of a request with these of its headers. */
async function sign(
  { method, url, headers, body }: SignedRequest,
  { signedHeaders, key, region, service, time }: SigningOptions,
): Promise<string> {
  const { accessKeyId, secretAccessKey, sessionToken } = key;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    region,
    service,
    sha256: Sha256,
    applyChecksum: false,
  });
  const signed = await signer.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(
        [...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)]),
      ),
      headers: Object.fromEntries(signedHeaders.map((name) => [name, String(headers[name] ?? '')])),
      body,
    },
    { signingDate: new Date(time), signableHeaders: new Set(signedHeaders) },
  );
  return AUTHORIZATION.exec(signed.headers.authorization ?? '')?.[6] ?? '';
}

/** The signature covers this header instead of the body. */
function isDeclaredHashCorrect({ headers, body }: SignedRequest): boolean {
  const hash = createHash('sha256').update(body).digest('hex');
  return (headers['x-amz-content-sha256'] ?? hash) === hash;
}

/** SHA-256, or HMAC-SHA-256 with a key, in the interface that the SDK expects. */
export class Sha256 {
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

function invalidSignature(message: string): SignatureError {
  return new SignatureError('InvalidSignatureException', message);
}

function basicFormat(epoch: number): string {
  return new Date(epoch).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
