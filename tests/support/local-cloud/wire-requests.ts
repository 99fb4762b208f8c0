/** Requests as they come over the wire, changed in one place, and what AWS's signing library needs to sign them. */
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { WireRequest } from '../../../local-cloud/sigv4/canonical-request.ts';

/** The hash that the library is given from outside. */
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

export function headerValue({ rawHeaders }: WireRequest, name: string): string {
  const index = rawHeaders.findIndex((item, at) => at % 2 === 0 && item.toLowerCase() === name);
  return rawHeaders[index + 1] ?? '';
}

export function signedHeaderNames(request: WireRequest): string[] {
  return /SignedHeaders=([^,]+)/.exec(headerValue(request, 'authorization'))?.[1]?.split(';') ?? [];
}

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

export function removeHeader(request: WireRequest, name: string): WireRequest {
  const { rawHeaders } = request;
  return {
    ...request,
    rawHeaders: rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== name),
  };
}

export function addHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, rawHeaders: [...request.rawHeaders, name, value] };
}
