/** Verification of Signature Version 4, which AWS performs before a request reaches a service. */
import { equalInConstantTime } from '../storage/secrets.ts';
import {
  type CredentialScope,
  canonicalRequest,
  headerValues,
  sha256Hex,
  signatureOf,
  stringToSign,
  type WireRequest,
} from './canonical-request.ts';
import {
  type Authorization,
  epochOf,
  type Headers,
  invalidSignature,
  parseAuthorization,
  parseTimestamp,
  SignatureError,
} from './signature-headers.ts';

export type AccessKey = {
  secretAccessKey: string;
  /** The session token that requests with a temporary key (`ASIA...`) must contain. Null for a long-term key. */
  sessionToken: string | null;
  /** Milliseconds since the epoch. */
  expiration: number;
};

export type VerificationOptions<Key extends AccessKey> = {
  region: string;
  service: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Finds a key by its id. */
  findAccessKey(accessKeyId: string): Key | undefined;
};

/** How far the time of a request may differ from the local cloud's clock. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60 * 1000;

/**
 * Returns the access key that signed a request. Throws `SignatureError` when the signature is missing, incomplete
 * or wrong, when the key is unknown or expired, or when the signature is for another service, region or time.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function verifySignature<Key extends AccessKey>(
  request: WireRequest,
  { region, service, now, findAccessKey }: VerificationOptions<Key>,
): Key {
  const headers = headerValues(request);
  const authorization = parseAuthorization(headers);
  const timestamp = parseTimestamp(headers);
  const key = findAccessKey(authorization.accessKeyId);
  requireSessionToken(key, headers);
  if (key.expiration <= now) {
    throw new SignatureError(
      'ExpiredTokenException',
      'The security token included in the request is expired',
    );
  }
  requireScope(authorization.scope, { date: timestamp.slice(0, 8), region, service });
  requireCurrentTimestamp(timestamp, now);
  requireSignedHeaders(authorization.signedHeaders, headers);
  requireSignature(request, authorization, timestamp, key);
  return key;
}

function requireSessionToken<Key extends AccessKey>(
  key: Key | undefined,
  headers: Headers,
): asserts key is Key {
  const token = headers.get('x-amz-security-token')?.join(',') ?? '';
  if (key && equalInConstantTime(token, key.sessionToken ?? '')) return;
  throw new SignatureError(
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  );
}

function requireScope(given: CredentialScope, expected: CredentialScope): void {
  if (given.region !== expected.region) {
    throw invalidSignature(`Credential should be scoped to a valid region, not '${given.region}'.`);
  }
  if (given.service !== expected.service) {
    throw invalidSignature(`Credential should be scoped to correct service: '${expected.service}'.`);
  }
  if (given.date !== expected.date) {
    throw invalidSignature(
      `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '${given.date}' != '${expected.date}'.`,
    );
  }
}

function requireCurrentTimestamp(timestamp: string, now: number): void {
  const age = now - epochOf(timestamp);
  if (Math.abs(age) <= MAX_CLOCK_DIFFERENCE_MS) return;
  const [problem, bound, sign] =
    age > 0
      ? ['expired', now - MAX_CLOCK_DIFFERENCE_MS, '-']
      : ['not yet current', now + MAX_CLOCK_DIFFERENCE_MS, '+'];
  const comparison = age > 0 ? 'is now earlier than' : 'is still later than';
  throw invalidSignature(
    `Signature ${problem}: ${timestamp} ${comparison} ${basicFormat(bound)} (${basicFormat(now)} ${sign} 5 min.)`,
  );
}

function requireSignedHeaders(signedHeaders: readonly string[], headers: Headers): void {
  if (!signedHeaders.includes('host')) {
    throw invalidSignature("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  }
  const unsigned = [...headers.keys()].filter(
    (name) => name.startsWith('x-amz-') && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0) {
    throw invalidSignature(
      `There were headers present in the request which were not signed: ${unsigned.join(', ')}`,
    );
  }
  const missing = signedHeaders.filter((name) => !headers.has(name));
  if (missing.length > 0 || !isCanonicalList(signedHeaders)) throw mismatch('');
}

/** Returns whether header names are in lower case, sorted and without duplicates. */
function isCanonicalList(names: readonly string[]): boolean {
  return names.join(';') === [...new Set(names.map((name) => name.toLowerCase()))].sort().join(';');
}

function requireSignature(
  request: WireRequest,
  { scope, signedHeaders, signature }: Authorization,
  timestamp: string,
  key: AccessKey,
): void {
  const payloadHash = sha256Hex(request.body);
  const declaredHash = headerValues(request).get('x-amz-content-sha256')?.join(',') ?? payloadHash;
  const canonical = canonicalRequest(request, signedHeaders, payloadHash);
  const text = stringToSign(canonical, timestamp, scope);
  if (
    equalInConstantTime(signature, signatureOf(text, key.secretAccessKey, scope)) &&
    declaredHash === payloadHash
  )
    return;
  throw mismatch(
    `\n\nThe Canonical String for this request should have been\n'${canonical}'\n\nThe String-to-Sign should have been\n'${text}'\n`,
  );
}

/** `details` shows what the client should have signed. */
function mismatch(details: string): SignatureError {
  return invalidSignature(
    `The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.${details}`,
  );
}

function basicFormat(epoch: number): string {
  return new Date(epoch).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
