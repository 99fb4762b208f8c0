/**
 * AWS Signature Version 4 in the `Authorization` header:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * It uses functions of the SDK's `SignatureV4`, but computes once per endpoint what that class computes for every request.
 */
import { createHmac, hash } from 'node:crypto';
import {
  ALGORITHM_IDENTIFIER,
  AMZ_DATE_HEADER,
  AUTH_HEADER,
  createScope,
  getCanonicalHeaders,
  getCanonicalQuery,
  prepareRequest,
  TOKEN_HEADER,
} from '@aws-sdk/signature-v4';

export type AwsCredentials = {
  accessKeyId: string;
  secretAccessKey: string;
  /** Only for temporary credentials. */
  sessionToken?: string;
};

/** The parts that all requests of one signer have in common. */
export type SignedEndpoint = {
  method: string;
  url: URL;
  /** Names in any case. The signer adds `host`, `x-amz-date` and `x-amz-security-token`. */
  headers: Record<string, string>;
  region: string;
  service: string;
};

export type UnsignedCall = {
  body: string;
  credentials: AwsCredentials;
  /** The service rejects dates that differ from its own time by more than five minutes. */
  signingDate: Date;
};

/** Returns the headers to send: those of the endpoint, the host, the date, the session token and `authorization`. */
export type Sign = (call: UnsignedCall) => Record<string, string>;

/** A signer of requests to one endpoint. The path is encoded twice, as every service except S3 expects. */
export function createSigner({ method, url, headers, region, service }: SignedEndpoint): Sign {
  const request = prepareRequest({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: toQuery(url),
    headers: { ...headers, host: url.host },
  });
  const start = `${method}\n${canonicalPath(url.pathname)}\n${getCanonicalQuery(request)}\n`;
  const given = Object.entries(request.headers);
  const canonical = getCanonicalHeaders(request);
  const withToken = createHeaderWriter(canonical, TOKEN_HEADER);
  const withoutToken = createHeaderWriter(canonical);
  const canonicalToken = (token: string) =>
    getCanonicalHeaders({ ...request, headers: { [TOKEN_HEADER]: token } })[TOKEN_HEADER];
  const getKey = createSigningKeys({ region, service, canonicalToken });

  return ({ body, credentials, signingDate }) => {
    const date = amzDate(signingDate);
    const day = date.slice(0, 'YYYYMMDD'.length);
    const { key, token } = getKey(credentials, day);
    const { names, write } = token === undefined ? withoutToken : withToken;
    const canonicalRequest = `${start}${write(date, token)}\n${names}\n${hash('sha256', body)}`;
    const scope = createScope(day, region, service);
    const toSign = `${ALGORITHM_IDENTIFIER}\n${date}\n${scope}\n${hash('sha256', canonicalRequest)}`;
    const signature = hmac(key, toSign).toString('hex');
    const sent: Record<string, string> = {
      [AUTH_HEADER]: `${ALGORITHM_IDENTIFIER} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
      [AMZ_DATE_HEADER]: date,
    };
    for (const [name, value] of given) sent[name] = value;
    if (credentials.sessionToken !== undefined) sent[TOKEN_HEADER] = credentials.sessionToken;
    return sent;
  };
}

/** The names of the signed headers, and a function that writes their canonical lines for a date and a session token. */
function createHeaderWriter(canonical: Record<string, string>, ...additionalNames: string[]) {
  const names = [...Object.keys(canonical), AMZ_DATE_HEADER, ...additionalNames].sort();
  const write = (date: string, token: string | undefined): string => {
    let lines = '';
    for (const name of names) {
      const value = name === AMZ_DATE_HEADER ? date : name === TOKEN_HEADER ? token : canonical[name];
      lines += `${name}:${value}\n`;
    }
    return lines;
  };
  return { names: names.join(';'), write };
}

type SigningKey = { day: string; key: Buffer; token: string | undefined };

type SigningKeyOptions = {
  region: string;
  service: string;
  canonicalToken: (token: string) => string | undefined;
};

/** Derives the signing key of credentials once per day, and normalizes their session token. */
function createSigningKeys({ region, service, canonicalToken }: SigningKeyOptions) {
  const keys = new WeakMap<AwsCredentials, SigningKey>();
  return (credentials: AwsCredentials, day: string): SigningKey => {
    const known = keys.get(credentials);
    if (known?.day === day) return known;
    const { secretAccessKey, sessionToken } = credentials;
    const derived = {
      day,
      key: [day, region, service, 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secretAccessKey}`)),
      token: sessionToken === undefined ? undefined : canonicalToken(sessionToken),
    };
    keys.set(credentials, derived);
    return derived;
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `20261121T090000Z`. */
function amzDate(date: Date): string {
  return `${date.toISOString().slice(0, -'.000Z'.length).replaceAll(/[-:]/g, '')}Z`;
}

/** The path without empty segments, each segment encoded once more. A `URL` has no dot segments. */
function canonicalPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const end = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.map(encodeSegment).join('/')}${end}`;
}

/** Encodes all but unreserved characters (RFC 3986 section 2.3); `encodeURIComponent` leaves five others. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function toQuery({ searchParams }: URL): Record<string, string[]> {
  return Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
}
