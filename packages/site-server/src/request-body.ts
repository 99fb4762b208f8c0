/** Request bodies, read up to a limit. */
import type { Readable, Writable } from 'node:stream';
import { MIMEType } from 'node:util';
import { JoinedBytes, readAtMost } from '@tenfold/upstream';
import { requestBytes } from './byte-budget.ts';
import { bodyTooLarge, type Rejection, retryAfter } from './rejection.ts';

/** For forms. Parsing a longer one with many fields would keep other requests waiting. */
export const MAX_FORM_BYTES = 64 * 1024;

/** Fields of a form that is longer, at a page that accepts it. */
const MAX_FIELDS = 1000;

/** Bytes of each body that the budget of all does not count: long bodies of others do not affect a short form. */
const BYTES_WITHOUT_BUDGET = 16 * 1024;
const RETRY_AFTER_MS = 1000;

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

/**
 * Returns the whole body of a request, or why it is rejected: 408 when it takes longer than `timeoutMs`, 413 as soon as it
 * is longer than `maxBytes`, and 503 while other requests take too much of `budget`. A body counts until the response is
 * closed, because what is parsed from it takes several times its size. The rest of a rejected body is not read here: `send`
 * discards a limited part of it.
 */
export function readBody(
  request: Readable,
  response: Writable,
  maxBytes: number,
  { timeoutMs = BODY_MS, budget = requestBytes } = {},
): Promise<Uint8Array | Rejection> {
  return new Promise((resolve, reject) => {
    const body = new JoinedBytes();
    let taken = 0;
    const rejectRest = (rejection: Rejection) => {
      clearTimeout(timer);
      request.pause().off('data', append);
      resolve(rejection);
    };
    const timer = setTimeout(() => rejectRest(bodyTooSlow), timeoutMs);
    response.once('close', () => {
      clearTimeout(timer);
      budget.giveBack(taken);
    });
    const append = (chunk: Buffer) => {
      const length = body.length + chunk.length;
      if (length > maxBytes) return rejectRest(bodyTooLarge(maxBytes));
      const needed = Math.max(0, length - BYTES_WITHOUT_BUDGET) - taken;
      if (!budget.take(needed)) return rejectRest(tooManyBodies);
      taken += needed;
      body.append(chunk);
    };
    // `limitShortChunks` pauses a body in chunks until it is read.
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
  return (await readAtMost(body, maxBytes)) ?? bodyTooLarge(maxBytes);
}

/**
 * Returns the fields of a form posted as `application/x-www-form-urlencoded` or `multipart/form-data`. Throws a
 * `Response`: 415 for any other content type, 413 past `maxBytes`, 400 for a body that does not match its content type, or
 * is longer than a form usually is and has more than 1,000 fields.
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
    if (body.length > MAX_FORM_BYTES && hasManyFields(body, contentType)) throw new Error('too many fields');
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Response(null, { status: 400 });
  }
}

/** Whether a form seems to have more fields than a long form may have. Throws for an invalid content type. */
function hasManyFields(body: Uint8Array, contentType: string): boolean {
  const { essence, params } = new MIMEType(contentType);
  const separator = essence === 'multipart/form-data' ? `--${params.get('boundary') ?? ''}` : '&';
  const text = Buffer.from(body.buffer, body.byteOffset, body.length);
  let [count, position] = [0, text.indexOf(separator)];
  while (position >= 0 && count <= MAX_FIELDS) {
    count += 1;
    position = text.indexOf(separator, position + separator.length);
  }
  return count > MAX_FIELDS;
}
