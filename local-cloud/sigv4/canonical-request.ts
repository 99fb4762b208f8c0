/**
 * What Signature Version 4 signs, taken from a request as it came over the wire. Written from AWS's page and not with
 * a signing library: the site signs with one, and one mistake must not pass on both sides.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';
import type { CloudRequest } from '../http/exchange.ts';

/** The parts of a request that a signature covers. Text holds one octet per character, as `node:http` gives it. */
export type WireRequest = Pick<CloudRequest, 'method' | 'rawPath' | 'rawHeaders' | 'body'>;

/** Where and when a signing key is valid. */
export type CredentialScope = {
  /** `YYYYMMDD` */
  date: string;
  region: string;
  service: string;
};

export const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINATOR = 'aws4_request';

/** Lower-case header names to their values, in the order in which they came. */
export function headerValues({ rawHeaders }: Pick<WireRequest, 'rawHeaders'>): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    values.set(name, [...(values.get(name) ?? []), rawHeaders[index + 1] ?? '']);
  }
  return values;
}

/** Step 1: the canonical request. `signedHeaders` are lower-case names in order. */
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

/** Steps 2 and 3: the string to sign. `timestamp` is `x-amz-date` as it stands. */
export function stringToSign(canonical: string, timestamp: string, scope: CredentialScope): string {
  const { date, region, service } = scope;
  return [
    ALGORITHM,
    timestamp,
    `${date}/${region}/${service}/${TERMINATOR}`,
    sha256Hex(Buffer.from(canonical, 'latin1')),
  ].join('\n');
}

/** Step 4: the signature, in lower-case hexadecimal. */
export function signatureOf(text: string, secretAccessKey: string, scope: CredentialScope): string {
  const signingKey = [scope.region, scope.service, TERMINATOR].reduce(
    (key, part) => hmac(key, part),
    hmac(`AWS4${secretAccessKey}`, scope.date),
  );
  return hmac(signingKey, text).toString('hex');
}

/** SHA-256 in lower-case hexadecimal. */
export function sha256Hex(octets: Uint8Array): string {
  return createHash('sha256').update(octets).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

/**
 * Dot segments and repeated slashes go, then every octet is encoded once more: the path on the wire is encoded
 * already, and every service but S3 expects it encoded twice.
 */
function canonicalPath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '' && segment !== '.') kept.push(segment);
  }
  const trailingSlash = kept.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${kept.map(encodeOctets).join('/')}${trailingSlash}`;
}

/** Each name and value encoded exactly once, sorted by encoded name, then by encoded value. */
function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const nameEnd = `${parameter}=`.indexOf('=');
      return { name: recode(parameter.slice(0, nameEnd)), value: recode(parameter.slice(nameEnd + 1)) };
    })
    .sort((a, b) => compareOctets(a.name, b.name) || compareOctets(a.value, b.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

/** Values of one name joined by commas, each trimmed, runs of white space in it made one space. */
function canonicalHeaderValue(values: readonly string[]): string {
  return values.map((value) => value.trim().replace(/\s+/g, ' ')).join(',');
}

/** Not the locale's order: octets, as AWS sorts. */
function compareOctets(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Everything but RFC 3986's unreserved characters as `%XX`, in upper case. */
function encodeOctets(octets: string): string {
  return octets.replace(
    /[^A-Za-z0-9\-._~]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Whatever was encoded and whatever was not, encoded once. */
function recode(octets: string): string {
  return encodeOctets(
    octets.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}
