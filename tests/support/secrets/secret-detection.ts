/**
 * Finds secrets in text: by their format, and by the values that were issued during this test run. Every helper that
 * sends requests to the site checks the responses with it.
 */
import type { IncomingHttpHeaders } from 'node:http';

const FORMATS: Record<string, RegExp> = {
  'a JSON Web Token': /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/,
  'an AWS access key id': /\b(?:ASIA|AKIA)[A-Z0-9]{12,}\b/,
  'an AWS signature': /AWS4-HMAC-SHA256|x-amz-security-token/i,
  'AWS credentials': /"?(?:SecretKey|SecretAccessKey|SessionToken|secretAccessKey)"?\s*[:=]\s*"?\w/,
  'a token by name':
    /"?(?:access_token|id_token|refresh_token|accessToken|idToken|refreshToken|client_secret)"?\s*[:=]\s*"?[\w-]{16,}/,
};

/** A match of this many consecutive characters counts as the secret. */
const FRAGMENT_LENGTH = 20;
/** By the code of an ASCII character, 1 if secrets contain it, in any encoding. */
const isOfSecrets = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w+/=%.~-]/.test(String.fromCharCode(code))),
);

/** Fragments of every registered secret in every encoding, with the kind of secret. */
const fragments = new Map<string, string>();
/** Whether a fragment begins with characters of this hash. It spares the map a look-up at nearly every position. */
const beginnings = new Uint8Array(2 ** 20);

/** Returns a hash of the four characters at `start`, below 2^20. */
function hashOfBeginning(text: string, start: number): number {
  let hash = 0;
  for (let index = start; index < start + 4; index++) hash = (hash * 33 + text.charCodeAt(index)) & 0xfffff;
  return hash;
}

/**
 * Registers a secret value. It is then found as it is, URL-encoded, in hexadecimal, and in base64 at any offset.
 * Throws a RangeError when the value is too short to be distinguished from other text.
 */
export function registerSecret(kind: string, value: string): void {
  if (value.length < FRAGMENT_LENGTH)
    throw new RangeError(`A ${kind} of ${value.length} characters is too short to detect`);
  for (const encoded of encodingsOf(value)) {
    const last = encoded.length - FRAGMENT_LENGTH;
    for (const start of [0, Math.floor(last / 2), last]) {
      fragments.set(encoded.slice(start, start + FRAGMENT_LENGTH), `${kind}, by its value`);
      beginnings[hashOfBeginning(encoded, start)] = 1;
    }
  }
}

function encodingsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    encodeURIComponent(value),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((shift) => {
      const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
      // The first and last characters also depend on the neighboring bytes.
      const inner = (text: string) => text.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -1);
      return [inner(shifted.toString('base64')), inner(shifted.toString('base64url'))];
    }),
  ];
}

/** Returns the kind of the first secret in the text, or null. */
export function findSecret(text: string): string | null {
  return Object.entries(FORMATS).find(([, format]) => format.test(text))?.[0] ?? findRegisteredSecret(text);
}

/**
 * Returns the kind of the first registered secret in the text, or null. Use it where the format alone is legitimate.
 */
export function findRegisteredSecret(text: string): string | null {
  // All characters from `start` to `checked` (exclusive) occur in secrets.
  let [start, checked] = [0, 0];
  while (start + FRAGMENT_LENGTH <= text.length) {
    const end = start + FRAGMENT_LENGTH;
    const other = lastOther(text, checked, end);
    checked = end;
    if (other >= 0) {
      // No fragment contains this character.
      start = other + 1;
      continue;
    }
    if (beginnings[hashOfBeginning(text, start)] === 1) {
      const kind = fragments.get(text.slice(start, end));
      if (kind !== undefined) return kind;
    }
    start += 1;
  }
  return null;
}

/** Returns the last index from `start` to `end` (exclusive) of a character that occurs in no secret, or -1. */
function lastOther(text: string, start: number, end: number): number {
  for (let index = end - 1; index >= start; index--) {
    if (isOfSecrets[text.charCodeAt(index)] !== 1) return index;
  }
  return -1;
}

/** Throws when the headers or the body of a response contain a secret. Sealed cookies may look like one. */
export function assertNoSecret(
  source: string,
  { headers, body }: { headers: IncomingHttpHeaders | Record<string, string>; body: string },
): void {
  const { 'set-cookie': setCookie = [], ...others } = headers;
  const secret =
    findSecret(`${JSON.stringify(others)}\n${body}`) ?? findRegisteredSecret([setCookie].flat().join('\n'));
  if (secret !== null) throw new Error(`${source} exposed ${secret}`);
}
