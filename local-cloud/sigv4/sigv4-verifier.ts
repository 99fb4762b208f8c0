/** Whether a request was signed by who holds an access key, as AWS's front doors judge it before a service is asked. */
import { timingSafeEqual } from 'node:crypto';
import {
  ALGORITHM,
  type CredentialScope,
  canonicalRequest,
  headerValues,
  sha256Hex,
  signatureOf,
  stringToSign,
  type WireRequest,
} from './canonical-request.ts';

export type AccessKey = {
  secretAccessKey: string;
  /** Temporary keys (`ASIA...`) come with one; without it they are worth nothing. Null for a long-term key. */
  sessionToken: string | null;
  /** Milliseconds since the epoch. */
  expiration: number;
};

export type Verification<Key extends AccessKey> = {
  region: string;
  service: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** The key with this id, or undefined when there is none. */
  accessKey(accessKeyId: string): Key | undefined;
};

export type SignatureErrorType =
  | 'IncompleteSignatureException'
  | 'InvalidSignatureException'
  | 'UnrecognizedClientException'
  | 'ExpiredTokenException';

/** Why a signature was not accepted; `type` is AWS's name for it. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';

  constructor(
    readonly type: SignatureErrorType,
    message: string,
  ) {
    super(message);
  }
}

type Authorization = {
  accessKeyId: string;
  scope: CredentialScope;
  signedHeaders: string[];
  signature: string;
};

type Headers = ReadonlyMap<string, readonly string[]>;

const WINDOW_MS = 5 * 60 * 1000;

/**
 * The access key that signed `request`. Throws `SignatureError` when the request is not signed completely, by a key
 * that is unknown or expired, for another service, region or time, or not as it came.
 */
export function verifySignature<Key extends AccessKey>(
  request: WireRequest,
  { region, service, now, accessKey }: Verification<Key>,
): Key {
  const headers = headerValues(request);
  const authorization = parseAuthorization(headers);
  const timestamp = parseTimestamp(headers);
  const key = accessKey(authorization.accessKeyId);
  requireToken(key, headers);
  if (key.expiration <= now) {
    throw new SignatureError(
      'ExpiredTokenException',
      'The security token included in the request is expired',
    );
  }
  requireScope(authorization.scope, { date: timestamp.slice(0, 8), region, service });
  requireCurrent(timestamp, now);
  requireSignedHeaders(authorization.signedHeaders, headers);
  requireSignature(request, authorization, timestamp, key);
  return key;
}

function parseAuthorization(headers: Headers): Authorization {
  const header = (headers.get('authorization') ?? []).join(',');
  const parameters = header
    .slice(ALGORITHM.length)
    .split(',')
    .map((parameter) => parameter.trim());
  const parameterOf = (name: string) =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const missing = ['Credential', 'Signature', 'SignedHeaders'].filter((name) => parameterOf(name) === '');
  if (!header.startsWith(`${ALGORITHM} `) || missing.length > 0 || parameters.length !== 3) {
    throw incomplete(
      missing.map((name) => `Authorization header requires '${name}' parameter.`).join(' ') ||
        `Authorization header requires exactly '${ALGORITHM} Credential=, SignedHeaders=, Signature='.`,
    );
  }
  return {
    ...parseCredential(parameterOf('Credential')),
    signedHeaders: parameterOf('SignedHeaders').split(';'),
    signature: parameterOf('Signature'),
  };
}

function parseCredential(credential: string): Pick<Authorization, 'accessKeyId' | 'scope'> {
  const elements = credential.split('/');
  const [accessKeyId = '', date = '', region = '', service = '', terminator] = elements;
  if (elements.length !== 5) {
    throw incomplete(
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${credential}'`,
    );
  }
  if (terminator !== 'aws4_request') {
    throw invalid("Credential should be scoped with a valid terminator: 'aws4_request'.");
  }
  return { accessKeyId, scope: { date, region, service } };
}

function parseTimestamp(headers: Headers): string {
  const timestamp = (headers.get('x-amz-date') ?? []).join(',');
  if (timestamp === '') {
    throw incomplete("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.");
  }
  if (!/^\d{8}T\d{6}Z$/.test(timestamp) || Number.isNaN(epochOf(timestamp))) {
    throw incomplete(
      `Date must be in ISO-8601 'basic format'. Got '${timestamp}'. See http://en.wikipedia.org/wiki/ISO_8601`,
    );
  }
  return timestamp;
}

function requireToken<Key extends AccessKey>(key: Key | undefined, headers: Headers): asserts key is Key {
  const token = headers.get('x-amz-security-token')?.join(',') ?? '';
  if (key && sameText(token, key.sessionToken ?? '')) return;
  throw new SignatureError(
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
  );
}

function requireScope(given: CredentialScope, expected: CredentialScope): void {
  if (given.region !== expected.region) {
    throw invalid(`Credential should be scoped to a valid region, not '${given.region}'.`);
  }
  if (given.service !== expected.service) {
    throw invalid(`Credential should be scoped to correct service: '${expected.service}'.`);
  }
  if (given.date !== expected.date) {
    throw invalid(
      `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '${given.date}' != '${expected.date}'.`,
    );
  }
}

function requireCurrent(timestamp: string, now: number): void {
  const age = now - epochOf(timestamp);
  if (Math.abs(age) <= WINDOW_MS) return;
  const [verdict, bound, sign] =
    age > 0 ? ['expired', now - WINDOW_MS, '-'] : ['not yet current', now + WINDOW_MS, '+'];
  const comparison = age > 0 ? 'is now earlier than' : 'is still later than';
  throw invalid(
    `Signature ${verdict}: ${timestamp} ${comparison} ${basicFormat(bound)} (${basicFormat(now)} ${sign} 5 min.)`,
  );
}

function requireSignedHeaders(signedHeaders: readonly string[], headers: Headers): void {
  if (!signedHeaders.includes('host')) {
    throw invalid("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
  }
  const unsigned = [...headers.keys()].filter(
    (name) => name.startsWith('x-amz-') && !signedHeaders.includes(name),
  );
  if (unsigned.length > 0) {
    throw invalid(`There were headers present in the request which were not signed: ${unsigned.join(', ')}`);
  }
  const absent = signedHeaders.filter((name) => !headers.has(name));
  if (absent.length > 0 || !isCanonicalList(signedHeaders)) throw mismatch('');
}

/** Lower-case, in order, each once. */
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
  const stated = headerValues(request).get('x-amz-content-sha256')?.join(',') ?? payloadHash;
  const canonical = canonicalRequest(request, signedHeaders, payloadHash);
  const text = stringToSign(canonical, timestamp, scope);
  if (sameText(signature, signatureOf(text, key.secretAccessKey, scope)) && stated === payloadHash) return;
  throw mismatch(
    `\n\nThe Canonical String for this request should have been\n'${canonical}'\n\nThe String-to-Sign should have been\n'${text}'\n`,
  );
}

/** In constant time, whatever the lengths. */
function sameText(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Hex(Buffer.from(a))), Buffer.from(sha256Hex(Buffer.from(b))));
}

function incomplete(message: string): SignatureError {
  return new SignatureError('IncompleteSignatureException', message);
}

function invalid(message: string): SignatureError {
  return new SignatureError('InvalidSignatureException', message);
}

function mismatch(expectation: string): SignatureError {
  return invalid(
    `The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.${expectation}`,
  );
}

/** `20150830T123600Z` to milliseconds since the epoch. */
function epochOf(timestamp: string): number {
  return Date.parse(timestamp.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
}

function basicFormat(epoch: number): string {
  return new Date(epoch).toISOString().replace(/[-:]|\.\d{3}/g, '');
}
