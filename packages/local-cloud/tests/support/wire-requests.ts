/** Reads and changes single headers of received requests, and provides the hash that the AWS SDK signs with. */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { WireRequest } from '../../sigv4/canonical-request.ts';

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

/** Returns a copy of the request in which the header's value is changed. */
export function changeHeader(
  request: WireRequest,
  name: string,
  change: (value: string) => string,
): WireRequest {
  const { rawHeaders } = request;
  return {
    ...request,
    rawHeaders: rawHeaders.map((item, at) =>
      at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name ? change(item) : item,
    ),
  };
}

/** Returns a copy of the request without the header. */
export function removeHeader(request: WireRequest, name: string): WireRequest {
  const { rawHeaders } = request;
  return {
    ...request,
    rawHeaders: rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== name),
  };
}

/** Returns a copy of the request with another header, also where one of this name exists. */
export function addHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, rawHeaders: [...request.rawHeaders, name, value] };
}
