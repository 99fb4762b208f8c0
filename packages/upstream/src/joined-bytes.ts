/** Bodies of requests and responses, read up to a limit. */

/**
 * Bytes that arrive in chunks. They are joined at once: a kept chunk takes more memory than its bytes, and a client may
 * send each byte in a chunk of its own.
 */
export class JoinedBytes {
  #buffer = Buffer.alloc(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#buffer.length));
      larger.set(this.toBytes());
      this.#buffer = larger;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  toBytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

/** Returns the whole stream, or null as soon as it is longer than `maxBytes`. */
export async function readAtMost(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const bytes = new JoinedBytes();
  const reader = stream?.getReader();
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    // Canceling the rest would close the connection on which the rejection of a request is sent.
    if (bytes.length + part.value.byteLength > maxBytes) return null;
    bytes.append(part.value);
  }
  return bytes.toBytes();
}
