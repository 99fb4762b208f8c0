/** Request bodies, read only as far as they may go. */
import { MAX_BODY_BYTES } from './request-gate.server.ts';

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
  try {
    return await new Response(body, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Response(null, { status: 400, statusText: 'Bad Request' });
  }
}

/** The whole body. Throws a 413 `Response` as soon as it is longer than `maxBytes`, however it is sent. */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Node's streams are asynchronously iterable; the DOM's types do not say so yet.
  const body = request.body as AsyncIterable<Uint8Array> | null;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > maxBytes) throw new Response(null, { status: 413, statusText: 'Content Too Large' });
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks, length));
}
