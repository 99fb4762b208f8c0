/** Parsing of the headers of a signed request, and the errors of Signature Version 4. */
import { ALGORITHM, type CredentialScope } from './canonical-request.ts';

export type SignatureErrorType =
  | 'IncompleteSignatureException'
  | 'InvalidSignatureException'
  | 'UnrecognizedClientException'
  | 'ExpiredTokenException';

/** Thrown when a signature is not accepted. `type` is the error type that AWS responds with. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';

  constructor(
    readonly type: SignatureErrorType,
    message: string,
  ) {
    super(message);
  }
}

/** The parsed `Authorization` header. */
export type Authorization = {
  accessKeyId: string;
  scope: CredentialScope;
  signedHeaders: string[];
  signature: string;
};

/** Header values by lower-case name. */
export type Headers = ReadonlyMap<string, readonly string[]>;

/**
 * Returns the parts of the `Authorization` header. Throws `SignatureError` when it is not complete.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
 */
export function parseAuthorization(headers: Headers): Authorization {
  const header = (headers.get('authorization') ?? []).join(',');
  const parameters = header
    .slice(ALGORITHM.length)
    .split(',')
    .map((parameter) => parameter.trim());
  const parameterOf = (name: string) =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const missing = ['Credential', 'Signature', 'SignedHeaders'].filter((name) => parameterOf(name) === '');
  if (!header.startsWith(`${ALGORITHM} `) || missing.length > 0 || parameters.length !== 3) {
    throw incompleteSignature(
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
    throw incompleteSignature(
      `Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '${credential}'`,
    );
  }
  if (terminator !== 'aws4_request') {
    throw invalidSignature("Credential should be scoped with a valid terminator: 'aws4_request'.");
  }
  return { accessKeyId, scope: { date, region, service } };
}

/** Returns the `X-Amz-Date` header. Throws `SignatureError` when it is missing or not a date. */
export function parseTimestamp(headers: Headers): string {
  const timestamp = (headers.get('x-amz-date') ?? []).join(',');
  if (timestamp === '') {
    throw incompleteSignature(
      "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
    );
  }
  if (!/^\d{8}T\d{6}Z$/.test(timestamp) || Number.isNaN(epochOf(timestamp))) {
    throw incompleteSignature(
      `Date must be in ISO-8601 'basic format'. Got '${timestamp}'. See http://en.wikipedia.org/wiki/ISO_8601`,
    );
  }
  return timestamp;
}

function incompleteSignature(message: string): SignatureError {
  return new SignatureError('IncompleteSignatureException', message);
}

/** Returns an `InvalidSignatureException`. */
export function invalidSignature(message: string): SignatureError {
  return new SignatureError('InvalidSignatureException', message);
}

/** Converts `20150830T123600Z` to milliseconds since the epoch; NaN when it is not a date. */
export function epochOf(timestamp: string): number {
  return Date.parse(timestamp.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
}
