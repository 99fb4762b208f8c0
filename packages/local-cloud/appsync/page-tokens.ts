import { z } from 'zod';
import { type Item, itemSchema } from './attribute-values.ts';

/** AppSync's tokens for a table with a sort key have about this many characters. */
const TOKEN_LENGTH = 2_620;

const tokenSchema = z.object({ key: itemSchema });

/**
 * Returns the page token for the key of the last item on a page. It is as long as AppSync's tokens, which contain the
 * key in encrypted form.
 */
export function createPageToken(key: Item): string {
  const content = JSON.stringify({ key });
  const bytes = (TOKEN_LENGTH * 3) / 4;
  return Buffer.from(content.padEnd(bytes)).toString('base64');
}

/** Returns the key in a page token, or null for a text that is not a page token. */
export function parsePageToken(token: string): Item | null {
  try {
    return tokenSchema.parse(JSON.parse(Buffer.from(token, 'base64').toString())).key;
  } catch {
    return null;
  }
}
