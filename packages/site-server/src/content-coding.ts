/** Content codings: which one a request accepts, and texts encoded in it (RFC 9110 section 8.4.1). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** In order of preference, where the client accepts several equally. */
const codings = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof codings)[number];

/** Brotli's window is 256 KiB, more than a page has. The default takes 4 MiB of memory for each text in progress. */
const WINDOW_BITS = 18;

export type Levels = { br: number; gzip: number };

/** For texts that are compressed when they are requested. The build uses the highest levels. */
const REQUEST_LEVELS: Levels = { br: 5, gzip: 6 };

/** Browsers and other clients send a few dozen different values of `Accept-Encoding`. */
const MAX_CACHED_CHOICES = 100;
const MAX_HEADER_LENGTH = 200;

type RankEncodings = (available: string[], options: { preferred: readonly string[] }) => string[];

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Returns `text` in every coding. */
export async function encodeInAllCodings(text: Buffer, levels?: Levels): Promise<Record<Coding, Buffer>> {
  const [br, gz] = await Promise.all([encodeAs('br', text, levels), encodeAs('gzip', text, levels)]);
  return { br, gzip: gz, identity: text };
}

/** Returns `text` in one coding. */
export async function encodeAs(coding: Coding, text: Buffer, levels = REQUEST_LEVELS): Promise<Buffer> {
  if (coding === 'identity') return text;
  if (coding === 'gzip') return compressGzip(text, { level: levels.gzip });
  return compressBrotli(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: levels.br,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
}

/**
 * Creates a function that chooses among `available` codings by the quality values of `Accept-Encoding` (RFC 9110
 * section 12.5.3). Without the header it chooses `identity`.
 */
export function createCodingChoice() {
  const choices = new LRUCache<string, Coding>({ max: MAX_CACHED_CHOICES });
  return (acceptEncoding: string | undefined, available: readonly Coding[] = codings): Coding => {
    if (!acceptEncoding || acceptEncoding.length > MAX_HEADER_LENGTH) return 'identity';
    const key = available.length === codings.length ? acceptEncoding : `${available} ${acceptEncoding}`;
    const cached = choices.get(key);
    if (cached) return cached;
    const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
    // The package's types lack the option `preferred`, which decides between codings of equal quality.
    const rank: RankEncodings = negotiator.encodings.bind(negotiator);
    const [best] = rank([...available], { preferred: codings });
    const chosen = codings.find((coding) => coding === best) ?? 'identity';
    choices.set(key, chosen);
    return chosen;
  };
}
