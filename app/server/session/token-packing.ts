/**
 * Texts as bytes, with the base64url parts of tokens decoded. A sealed value is base64url itself, so leaving tokens
 * as they are would encode them twice, and cost a third. Nothing is compressed: the length of compressed secrets next
 * to text that others choose gives them away (CRIME).
 *
 * A text is a count of segments, then each segment after its length; the highest bit of a length tells whether the
 * segment was decoded. The count 0 is null.
 */
const MAX_SEGMENTS = 255;
const DECODED = 0x8000_0000;

/** The bytes for `texts`. `unpackTexts` gives them back letter for letter. */
export function packTexts(texts: readonly (string | null)[]): Uint8Array {
  return Buffer.concat(texts.flatMap(packText));
}

/** The texts that `packTexts` was given; null for bytes that it cannot have made. */
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
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
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
  // Only what comes back letter for letter.
  const lossless = decoded.toString('base64url') === segment;
  const bytes = lossless ? decoded : Buffer.from(segment);
  const header = Buffer.alloc(4);
  header.writeUInt32BE((lossless ? DECODED : 0) + bytes.length);
  return [header, bytes];
}
