/** Sends GraphQL requests signed by the AWS SDK with identity pool credentials. */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@aws-sdk/signature-v4';
import type { IdentityKey } from '../../identity-pool/access-keys.ts';

/** SHA-256 and HMAC-SHA-256 with the interface that the SDK expects. */
export class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

export type Signing = {
  key: Pick<IdentityKey, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>;
  now: number;
  region?: string;
  service?: string;
};

/** Sends `body` by POST, by default signed for AppSync in us-east-1. */
export async function signedFetch(url: string, body: string, signing: Signing): Promise<Response> {
  const { key, now, region = 'us-east-1', service = 'appsync' } = signing;
  const { host, hostname, pathname } = new URL(url);
  const { accessKeyId, secretAccessKey, sessionToken } = key;
  const credentials = { accessKeyId, secretAccessKey, sessionToken };
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
  const { headers } = await signer.sign(
    {
      method: 'POST',
      protocol: 'http:',
      hostname,
      path: pathname,
      headers: { host, 'content-type': 'application/json' },
      body,
    },
    { signingDate: new Date(now) },
  );
  return fetch(url, { method: 'POST', headers, body });
}
