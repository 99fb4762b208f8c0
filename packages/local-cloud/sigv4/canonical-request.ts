/**
 * The signature calculation of Signature Version 4, for a request as received over HTTP. It follows the AWS
 * documentation and uses no signing library: the site signs with AWS's library, so a mistake in either
 * implementation makes the signatures differ.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';
import type { CloudRequest } from '../http/exchange.ts';

/**
 * The parts of a request that a signature covers. Strings hold one byte per character, as `node:http` provides
 * them.
 */
export type WireRequest = Pick<CloudRequest, 'method' | 'rawPath' | 'rawHeaders' | 'body'>;

/** The day, region and service that a signing key is derived for. */
export type CredentialScope = {
  /** `YYYYMMDD` */
  date: string;
  region: string;
  service: string;
};

export const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINATOR = 'aws4_request';

/** Returns the values of each header, by lower-case name and in the order of the request. */
export function headerValues({ rawHeaders }: Pick<WireRequest, 'rawHeaders'>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    values.set(name, [...(values.get(name) ?? []), rawHeaders[index + 1] ?? '']);
  }
  return values;
}

/**
 * Returns the canonical request (step 1). `signedHeaders` are the sorted lower-case names of the signed headers.
 */
export function canonicalRequest(
  request: WireRequest,
  signedHeaders: readonly string[],
  payloadHash: string,
): string {
  const queryStart = request.rawPath.indexOf('?');
  const path = queryStart < 0 ? request.rawPath : request.rawPath.slice(0, queryStart);
  const query = queryStart < 0 ? '' : request.rawPath.slice(queryStart + 1);
  const headers = headerValues(request);
  return [
    request.method,
    canonicalPath(path),
    canonicalQuery(query),
    ...signedHeaders.map((name) => `${name}:${canonicalHeaderValue(headers.get(name) ?? [])}`),
    '',
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n');
}

/** Returns the string to sign (steps 2 and 3). `timestamp` is the value of `x-amz-date`. */
export function stringToSign(canonical: string, timestamp: string, scope: CredentialScope): string {
  const { date, region, service } = scope;
  return [
    ALGORITHM,
    timestamp,
    `${date}/${region}/${service}/${TERMINATOR}`,
    sha256Hex(Buffer.from(canonical, 'latin1')),
  ].join('\n');
}

/** Returns the signature (step 4) in lower-case hexadecimal. */
export function signatureOf(text: string, secretAccessKey: string, scope: CredentialScope): string {
  const signingKey = [scope.region, scope.service, TERMINATOR].reduce(
    (key, part) => hmac(key, part),
    hmac(`AWS4${secretAccessKey}`, scope.date),
  );
  return hmac(signingKey, text).toString('hex');
}

/** Returns the SHA-256 hash in lower-case hexadecimal. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

/**
 * Removes dot segments and repeated slashes, then encodes every byte again. The received path is already encoded,
 * and every service except S3 expects it encoded twice.
 */
function canonicalPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const trailingSlash = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.map(encodeBytes).join('/')}${trailingSlash}`;
}

/** Encodes each name and value exactly once and sorts them by encoded name, then by encoded value. */
function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const nameEnd = `${parameter}=`.indexOf('=');
      return {
        name: encodeOnce(parameter.slice(0, nameEnd)),
        value: encodeOnce(parameter.slice(nameEnd + 1)),
      };
    })
    .sort((a, b) => compareBytes(a.name, b.name) || compareBytes(a.value, b.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

/** Joins the values of one header with commas. Each is trimmed, and runs of white space become one space. */
function canonicalHeaderValue(values: readonly string[]): string {
  return values.map((value) => value.trim().replace(/\s+/g, ' ')).join(',');
}

/** Sorts by byte value, as AWS does, and not by the rules of a locale. */
function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Encodes every byte as `%XX`, except the unreserved characters of RFC 3986 section 2.3. */
function encodeBytes(bytes: string): string {
  return bytes.replace(
    /[^A-Za-z0-9\-._~]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Encodes text that may contain both encoded and unencoded bytes. */
function encodeOnce(bytes: string): string {
  return encodeBytes(
    bytes.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}
