/** The rules for a message's content. The server enforces them, and the browser uses them to count characters. */

/** In code points, as the data API counts: an emoji counts as one character, not two. */
export const MAX_CONTENT_LENGTH = 500;

/** Characters without a width of their own. A text of nothing else would be an empty message. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Z}\u2800]/gu;

/** The text as it is sent: trimmed, and with line feeds as line breaks. Forms submit a line break as CRLF. */
export function normalizeContent(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}

/** The length of the normalized text, in code points. */
export function contentLength(text: string): number {
  return [...normalizeContent(text)].length;
}

/** The reason why a text cannot be posted, or null. */
export function checkContent(text: string): 'empty' | 'too-long' | null {
  const length = contentLength(text);
  if (length === 0 || normalizeContent(text).replace(INVISIBLE, '') === '') return 'empty';
  return length > MAX_CONTENT_LENGTH ? 'too-long' : null;
}
