/** Request bodies, read up to a limit. */
import type { Readable, Writable } from 'node:stream';
import { bodyTooLarge, MAX_BODY_BYTES, type Rejection, retryAfter } from './rejection.ts';

/** For forms. Parsing one of this size takes a few milliseconds; one of 1 MiB with many fields would take 300. */
export const MAX_FORM_BYTES = 64 * 1024;

/** By route id: the routes whose bodies may be larger than a form. To accept larger ones at another route, add its id. */
const LARGER_BODIES: ReadonlyMap<string | null, number> = new Map([['api/graphql', MAX_BODY_BYTES]]);

/**
 * Returns how many bytes the body of a request for a route may have. Only signed-in visitors may send more than a form:
 * the limits of their sessions apply to them.
 */
export function bodyLimitOf(routeId: string | null, isSignedIn: boolean): number {
  return (isSignedIn ? LARGER_BODIES.get(routeId) : undefined) ?? MAX_FORM_BYTES;
}

/**
 * The bytes that the bodies of all requests in progress may have together, without the first ones of each: a visitor with
 * a short form is not affected by others who send long bodies. What is parsed from a body takes several times its size.
 */
const MAX_BYTES_IN_PROGRESS = 16 * 1024 * 1024;
const BYTES_WITHOUT_BUDGET = 16 * 1024;
const RETRY_AFTER_MS = 1000;

let bytesInProgress = 0;

/**
 * How long a body may take, in milliseconds. It must be less than the limits of `Connections` and of Node, which know
 * nothing of the request: then every stalled upload gets a response in the language of its page.
 */
const BODY_MS = 25_000;

/** 408 (RFC 9110 section 15.5.9). */
const bodyTooSlow: Rejection = {
  status: 408,
  code: 'RequestTimeout',
  message: 'The body took too long to arrive.',
  headers: { connection: 'close' },
};

const tooManyBodies: Rejection = {
  status: 503,
  code: 'Overloaded',
  message: 'The bodies of too many requests are in progress.',
  headers: retryAfter(RETRY_AFTER_MS),
};

/** Whether the result of reading a body is a rejection. */
export function isRejected(body: Uint8Array | Rejection): body is Rejection {
  return 'status' in body;
}

const MIN_CAPACITY = 1024;

/**
 * Bytes that arrive in chunks. They are joined at once: a kept chunk takes some hundred bytes, and a client may send each
 * byte in a chunk of its own.
 */
class JoinedBytes {
  #buffer: Uint8Array = Buffer.alloc(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a chunk. The first one is not copied, nor written to. */
  append(chunk: Uint8Array): void {
    const start = this.#length;
    this.#length += chunk.length;
    if (start === 0) {
      this.#buffer = chunk;
      return;
    }
    if (this.#length > this.#buffer.length) {
      const capacity = Math.max(MIN_CAPACITY, this.#length, 2 * this.#buffer.length);
      const larger = Buffer.allocUnsafeSlow(capacity);
      larger.set(this.#buffer.subarray(0, start));
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, start);
  }

  toBytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }
}

/**
 * Returns the whole body of a request, or why it is rejected: 408 when it takes longer than `timeoutMs`, 413 as soon as it
 * is longer than `maxBytes`, and 503 while the bodies of other requests take too much memory. `response` ends the request.
 * The rest of a rejected body is not read here: `Connections` discards a limited part of it after the response.
 */
export function readBody(
  request: Readable,
  response: Writable,
  maxBytes: number,
  timeoutMs = BODY_MS,
): Promise<Uint8Array | Rejection> {
  return new Promise((resolve, reject) => {
    const body = new JoinedBytes();
    let reserved = 0;
    const rejectRest = (rejection: Rejection) => {
      clearTimeout(timer);
      request.pause().off('data', append);
      resolve(rejection);
    };
    const timer = setTimeout(() => rejectRest(bodyTooSlow), timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      bytesInProgress -= reserved;
    });
    const append = (chunk: Buffer) => {
      const length = body.length + chunk.length;
      if (length > maxBytes) return rejectRest(bodyTooLarge(maxBytes));
      const needed = Math.max(0, length - BYTES_WITHOUT_BUDGET) - reserved;
      if (bytesInProgress + needed > MAX_BYTES_IN_PROGRESS) return rejectRest(tooManyBodies);
      bytesInProgress += needed;
      reserved += needed;
      body.append(chunk);
    };
    // `Connections` pauses a body in chunks until it is read.
    request.on('data', append).resume();
    request.once('end', () => {
      clearTimeout(timer);
      resolve(body.toBytes());
    });
    request.once('error', reject);
  });
}

/** Returns the whole body of a web `Request`, or 413 as soon as it is longer than `maxBytes`. */
export async function readWebBody(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | Rejection> {
  const bytes = new JoinedBytes();
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    // Canceling the rest would close the connection that the rejection is sent on.
    if (bytes.length + part.value.byteLength > maxBytes) return bodyTooLarge(maxBytes);
    bytes.append(part.value);
  }
  return bytes.toBytes();
}

/** Concatenates chunks; a single one is not copied. */
export function concatChunks<Bytes extends Uint8Array>(chunks: readonly Bytes[]): Bytes | Buffer {
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}

/**
 * Returns the fields of a form posted as `application/x-www-form-urlencoded` or `multipart/form-data`. Throws a
 * `Response`: 415 for any other content type, 413 past `maxBytes`, 400 for a body that does not match its content type.
 */
export async function readForm(request: Request, maxBytes = MAX_FORM_BYTES): Promise<FormData> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i.test(contentType)) {
    throw new Response(null, { status: 415 });
  }
  const body = await readWebBody(request.body, maxBytes);
  if (isRejected(body)) {
    // Only under another Remix server: the steps of server.ts read the body before. The unread rest ends the connection.
    const headers = { connection: 'close' };
    throw new Response(null, { status: body.status, headers });
  }
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Response(null, { status: 400 });
  }
}
