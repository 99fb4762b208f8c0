/**
 * Packs texts into bytes and decodes the base64url segments of tokens. Sealing encodes the bytes as base64url again, so
 * without the decoding tokens would be a third longer. Nothing is compressed, because the length of a compressed text
 * reveals secrets in it (the CRIME attack).
 *
 * Format of a text: the number of segments (one byte, 0 for null), then for each segment its length (four bytes, the
 * highest bit set if the segment was decoded) and its bytes.
 */
const MAX_SEGMENTS = 255;
const DECODED = 0x8000_0000;

/** Returns the bytes from which `unpackTexts` restores `texts` exactly. */
export function packTexts(texts: readonly (string | null)[]): Uint8Array {
  return Buffer.concat(texts.flatMap(packText));
}

/** Returns the texts that were packed, or null for bytes in any other format. */
export function unpackTexts(bytes: Uint8Array): (string | null)[] | null {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: (string | null)[] = [];
  try {
    for (let offset = 0; offset < source.length; ) {
      const segments: string[] = [];
      const count = source.readUInt8(offset++);
      for (let index = 0; index < count; index++) {
        const header = source.readUInt32BE(offset);
        const start = offset + 4;
        offset = start + (header & ~DECODED);
        if (offset > source.length) return null;
        segments.push(source.toString(header & DECODED ? 'base64url' : 'utf8', start, offset));
      }
      texts.push(count === 0 ? null : segments.join('.'));
    }
  } catch {
    // Buffers throw a `RangeError` for reads beyond their end.
    return null;
  }
  return texts;
}

function packText(text: string | null): Uint8Array[] {
  if (text === null) return [Uint8Array.of(0)];
  const split = text.split('.');
  const segments = split.length > MAX_SEGMENTS ? [text] : split;
  return [Uint8Array.of(segments.length), ...segments.flatMap(packSegment)];
}

function packSegment(segment: string): Uint8Array[] {
  const decoded = Buffer.from(segment, 'base64url');
  // Only segments that encode back to the same text are decoded.
  const lossless = decoded.toString('base64url') === segment;
  const bytes = lossless ? decoded : Buffer.from(segment);
  const header = Buffer.alloc(4);
  header.writeUInt32BE((lossless ? DECODED : 0) + bytes.length);
  return [header, bytes];
}
