/** Request bodies, read up to a limit. */
import type { Readable } from 'node:stream';
import { MAX_BODY_BYTES } from './request-filter.ts';

/**
 * Returns the fields of a form posted as `application/x-www-form-urlencoded` or `multipart/form-data`. Throws a
 * `Response`: 415 for any other content type, 413 past `maxBytes`, 400 for a body that does not match its content type.
 */
export async function readForm(request: Request, maxBytes = MAX_BODY_BYTES): Promise<FormData> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i.test(contentType)) {
    throw new Response(null, { status: 415, statusText: 'Unsupported Media Type' });
  }
  const body = await readBody(request.body, maxBytes);
  if (!body) {
    // The unread rest of the body would be parsed as the next request, so the connection ends with the response.
    const headers = { connection: 'close' };
    throw new Response(null, { status: 413, statusText: 'Content Too Large', headers });
  }
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Response(null, { status: 400, statusText: 'Bad Request' });
  }
}

/**
 * Returns the whole body, or null as soon as it is longer than `maxBytes`. The rest of a longer one is not read:
 * canceling it would close the connection that the rejection is sent on.
 */
export function readBody(
  body: Readable | ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | null> {
  return body && 'pipe' in body ? readNodeStream(body, maxBytes) : readWebStream(body, maxBytes);
}

function readNodeStream(body: Readable, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      body.pause().removeAllListeners('data');
      resolve(null);
    });
    body.once('end', () => resolve(concatChunks(chunks)));
    body.once('error', reject);
  });
}

async function readWebStream(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    length += part.value.byteLength;
    if (length > maxBytes) return null;
    chunks.push(part.value);
  }
  return Buffer.concat(chunks, length);
}

/** Concatenates chunks; a single one is not copied. */
export function concatChunks(chunks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}
