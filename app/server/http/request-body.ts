/** Request bodies, read only as far as they may go. */
import { MAX_BODY_BYTES } from './request-filter.ts';

/**
 * The fields of a form posted as `application/x-www-form-urlencoded` or `multipart/form-data`. Throws a `Response`:
 * 415 for any other content type, 413 past `maxBytes`, 400 for a body that is not what its content type says.
 */
export async function readForm(request: Request, maxBytes = MAX_BODY_BYTES): Promise<FormData> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i.test(contentType)) {
    throw new Response(null, { status: 415, statusText: 'Unsupported Media Type' });
  }
  const body = await readBody(request, maxBytes);
  // What is still coming of it would be taken for the next request: the connection ends with the answer.
  if (!body)
    throw new Response(null, {
      status: 413,
      statusText: 'Content Too Large',
      headers: { connection: 'close' },
    });
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Response(null, { status: 400, statusText: 'Bad Request' });
  }
}

/** The bytes of all chunks; a single one is whole as it is, and not copied. */
export function wholeOf(chunks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : first;
}

/**
 * The whole body, or null as soon as it is longer than `maxBytes`, however it is sent. The rest of a longer one is
 * left where it is: to cancel it would tear down the connection that the refusal has yet to travel on.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    length += part.value.byteLength;
    if (length > maxBytes) return null;
    chunks.push(part.value);
  }
  return new Uint8Array(Buffer.concat(chunks, length));
}
