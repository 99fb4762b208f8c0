/** What a message may be. The server judges by this too; the browser uses it to count and to foresee. Pure. */

/** In code points, as the data API counts: an emoji or a letter beyond the basic plane is one, not two. */
export const MAX_CONTENT_LENGTH = 500;

/**
 * The text as it is sent: without white space around it, and with one line feed per line break, of which forms make
 * two characters on their way.
 */
export function normalizeContent(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}

/** Length of what would be sent, in code points. */
export function contentLength(text: string): number {
  return [...normalizeContent(text)].length;
}

/** Why a text cannot be posted, or null. */
export function checkContent(text: string): 'empty' | 'too-long' | null {
  const length = contentLength(text);
  if (length === 0) return 'empty';
  return length > MAX_CONTENT_LENGTH ? 'too-long' : null;
}
