/**
 * What must never leave the server, recognised by its form, and by its value where it was given out in this very run:
 * everything that sends requests here looks for both in what comes back.
 */
import type { IncomingHttpHeaders } from 'node:http';

const FORMS: Record<string, RegExp> = {
  'a JSON Web Token': /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/,
  'an AWS access key id': /\b(?:ASIA|AKIA)[A-Z0-9]{12,}\b/,
  'an AWS signature': /AWS4-HMAC-SHA256|x-amz-security-token/i,
  'AWS credentials': /"?(?:SecretKey|SecretAccessKey|SessionToken|secretAccessKey)"?\s*[:=]\s*"?\w/,
  'a token by name':
    /"?(?:access_token|id_token|refresh_token|accessToken|idToken|refreshToken|client_secret)"?\s*[:=]\s*"?[\w-]{16,}/,
};

/** As many characters of a secret in a row are taken for the secret. */
const PIECE = 20;
/** Runs of what secrets are made of, in any of their spellings. */
const RUNS = /[\w+/=%.~-]{20,}/g;

/** Pieces of every secret in each of its spellings, and what it is. */
const pieces = new Map<string, string>();

/** From now on `value` is looked for: as it is, in an address, in base64 wherever that began, and in hexadecimal. */
export function registerSecret(kind: string, value: string): void {
  if (value.length < PIECE)
    throw new RangeError(`A ${kind} of ${value.length} characters is too short to tell`);
  for (const spelling of spellingsOf(value)) {
    for (const at of [0, Math.floor((spelling.length - PIECE) / 2), spelling.length - PIECE]) {
      pieces.set(spelling.slice(at, at + PIECE), `${kind}, by its value`);
    }
  }
}

function spellingsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    encodeURIComponent(value),
    bytes.toString('hex'),
    ...[0, 1, 2].flatMap((shift) => {
      const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
      // Without the characters that what stands before and after has a part in.
      const whole = (text: string) => text.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -1);
      return [whole(shifted.toString('base64')), whole(shifted.toString('base64url'))];
    }),
  ];
}

/** Which kind of secret stands in the text, or null. */
export function findSecret(text: string): string | null {
  return Object.entries(FORMS).find(([, form]) => form.test(text))?.[0] ?? findRegisteredSecret(text);
}

/** Which secret of this run stands in the text, or null. What is sealed has the form of one, but never the value. */
export function findRegisteredSecret(text: string): string | null {
  for (const [run] of text.matchAll(RUNS)) {
    for (let at = 0; at + PIECE <= run.length; at++) {
      const kind = pieces.get(run.slice(at, at + PIECE));
      if (kind !== undefined) return kind;
    }
  }
  return null;
}

/** Throws when an answer of the site, whatever it is, has a secret in it. */
export function assertNoSecret(
  where: string,
  { headers, body }: { headers: IncomingHttpHeaders | Record<string, string>; body: string },
): void {
  const { 'set-cookie': sealed = [], ...others } = headers;
  const secret =
    findSecret(`${JSON.stringify(others)}\n${body}`) ?? findRegisteredSecret([sealed].flat().join('\n'));
  if (secret !== null) throw new Error(`${where} gave away ${secret}`);
}
