/** The same bytes in the codings that browsers take (RFC 9110 section 8.4.1), and which of them a request gets. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** The best first: what is chosen where the visitor's browser likes several as well. */
export const codings = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof codings)[number];

/** `quick` takes a millisecond for a page, `best` a hundred times that and a fifth of the bytes less. */
export type Effort = 'quick' | 'best';

const levels = { quick: { br: 4, gzip: 5 }, best: { br: 11, gzip: 9 } } as const;

/**
 * As far back as brotli looks: 256 KiB, more than a page has. By itself it makes ready for 4 MiB, which takes longer
 * than to compress a page.
 */
const WINDOW_BITS = 18;

/** There are a few dozen values of `Accept-Encoding` in the world; a made-up one pushes out another. */
const REMEMBERED_CHOICES = 100;
const MAX_HEADER = 200;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** `text` in every coding, compressed outside the event loop's thread. */
export async function encodeText(text: Buffer, effort: Effort): Promise<Record<Coding, Buffer>> {
  const [br, gz] = await Promise.all([encodeAs('br', text, effort), encodeAs('gzip', text, effort)]);
  return { br, gzip: gz, identity: text };
}

/** `text` in one coding, compressed outside the event loop's thread. */
export async function encodeAs(coding: Coding, text: Buffer, effort: Effort): Promise<Buffer> {
  if (coding === 'identity') return text;
  if (coding === 'gzip') return deflate(text, { level: levels[effort].gzip });
  return brotli(text, {
    params: {
      ...brotliParams(levels[effort].br),
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}

/** Brotli at `quality` (0 to 11) for texts of the size of a page, in the terms of Node's `zlib`. */
export function brotliParams(quality: number): Record<number, number> {
  return { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS };
}

/** Chooses by the quality values of `Accept-Encoding` (RFC 9110 section 12.5.3); what asks for nothing gets plain text. */
export function createCodingChoice(): (acceptEncoding: string | undefined) => Coding {
  const choices = new LRUCache<string, Coding>({ max: REMEMBERED_CHOICES });
  return (acceptEncoding) => {
    if (!acceptEncoding || acceptEncoding.length > MAX_HEADER) return 'identity';
    const known = choices.get(acceptEncoding);
    if (known) return known;
    const chosen = chooseCoding(acceptEncoding);
    choices.set(acceptEncoding, chosen);
    return chosen;
  };
}

function chooseCoding(acceptEncoding: string): Coding {
  // Of two that are as welcome, Negotiator takes the one that the header has first: the better one, then.
  const ranked = acceptEncoding.split(',').sort((a, b) => rank(a) - rank(b));
  const accepted = new Negotiator({ headers: { 'accept-encoding': ranked.join(',') } }).encodings(codings);
  return codings.find((coding) => coding === accepted[0]) ?? 'identity';
}

function rank(element: string): number {
  const name = element.split(';', 1)[0]?.trim().toLowerCase();
  const order: readonly (string | undefined)[] = codings;
  const found = order.indexOf(name);
  return found === -1 ? codings.length : found;
}
