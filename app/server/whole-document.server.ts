/** A rendered document in one piece, put right where its makers leave it wrong. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';

const END = '</body></html>';

/**
 * What `pipe` writes once everything is rendered, as well-formed HTML.
 *
 * React 18 fills its blocks up with NUL where a character of several bytes has no room at the end of one
 * (facebook/react#26228): parsers drop it from texts, and in the data for hydration it turns into U+FFFD.
 * Remix writes its last scripts behind the end of the document, where none may stand: the end goes behind them.
 */
export async function wholeDocument(pipe: (destination: PassThrough) => unknown): Promise<string> {
  const written = new PassThrough();
  pipe(written);
  const html = (await text(written)).replaceAll('\0', '');
  const end = html.lastIndexOf(END);
  return end < 0 ? html : html.slice(0, end) + html.slice(end + END.length) + END;
}
