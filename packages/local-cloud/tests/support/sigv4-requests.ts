/** Requests signed by the AWS SDK, for the tests of the local cloud's signature verifier. */
import { SignatureV4 } from '@aws-sdk/signature-v4';
import type { WireRequest } from '../../sigv4/canonical-request.ts';
import { SignatureError } from '../../sigv4/signature-headers.ts';
import { type AccessKey, verifySignature } from '../../sigv4/sigv4-verifier.ts';
import { Sha256 } from './wire-requests.ts';

export const NOW = Date.parse('2026-11-21T10:00:00Z');
export const REGION = 'eu-central-1';
const credentials = {
  accessKeyId: 'ASIAEXAMPLEEXAMPLE00',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLE+/==',
};
export const key = { ...credentials, expiration: NOW + 3_600_000 };
export const BODY = JSON.stringify({
  query: '{ listMessages { items { content } } }',
  variables: { text: 'ﷺ 🎈' },
});

/** Verifies a request as the local cloud does. */
export function verify(
  request: WireRequest,
  changes: { now?: number; findAccessKey?: () => AccessKey } = {},
): AccessKey {
  return verifySignature<AccessKey>(request, {
    region: REGION,
    service: 'appsync',
    now: NOW,
    findAccessKey: (id) => (id === key.accessKeyId ? key : undefined),
    ...changes,
  });
}

/** Returns the SignatureError that `verification` throws. Throws when it succeeds. */
export function signatureErrorOf(verification: () => unknown): SignatureError {
  try {
    verification();
  } catch (error) {
    if (error instanceof SignatureError) return error;
    throw error;
  }
  throw new Error('The signature was accepted');
}

/** Returns the headers of a signed POST of `BODY` to `/graphql?a=1` of api.example.com, without the host. */
export async function signWithSmithy(): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    credentials,
    region: REGION,
    service: 'appsync',
    sha256: Sha256,
    applyChecksum: true,
  });
  const signed = await signer.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: 'api.example.com',
      path: '/graphql',
      query: { a: '1' },
      headers: { host: 'api.example.com', 'content-type': 'application/json' },
      body: BODY,
    },
    { signingDate: new Date(NOW) },
  );
  const { host: _, ...headers } = signed.headers;
  return headers;
}
