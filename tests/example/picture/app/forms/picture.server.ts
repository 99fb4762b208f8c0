/** Recognizes small pictures by their bytes, because a client can send any name and any type. */

/** A record with its picture must stay below DynamoDB's 400 KB, and a page of them below one mebibyte. */
export const MAX_PICTURE_BYTES = 48 * 1024;

/** The content type of a PNG, JPEG or WebP image, by its first bytes, or null. */
export function pictureType(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return start.startsWith('RIFF') && start.endsWith('WEBP') ? 'image/webp' : null;
}
