/** Content codings: which one a request accepts, and texts encoded in it (RFC 9110 section 8.4.1). */
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';

/** In order of preference, where the client accepts several equally. */
const codings = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof codings)[number];

/** `quick` takes up to a millisecond for a page; `best` takes fifty times that and saves another tenth. */
export type Effort = 'quick' | 'best';

const levels = { quick: { br: 5, gzip: 6 }, best: { br: 11, gzip: 9 } } as const;

/**
 * Brotli's level 1 takes a sixth of the time of level 5, and its result is a quarter larger. A shorter text still fits into
 * the ten segments that a server may send before the first acknowledgment (RFC 6928).
 */
const SHORT_TEXT_BYTES = 48 * 1024;
const SHORT_TEXT_LEVEL = 1;

/**
 * Brotli's window is 256 KiB, which is larger than a page. Preparing the default of 4 MiB takes longer than compressing
 * one.
 */
const WINDOW_BITS = 18;

/** About a millisecond's work. The longest page of the site has 80 kB. */
const MAX_BYTES_IN_THREAD = 128 * 1024;

/** Browsers and other clients send a few dozen different values of `Accept-Encoding`. */
const MAX_CACHED_CHOICES = 100;
const MAX_HEADER_LENGTH = 200;

type RankEncodings = (available: string[], options: { preferred: readonly string[] }) => string[];

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Returns `text` in every coding. */
export async function encodeInAllCodings(text: Buffer, effort: Effort): Promise<Record<Coding, Buffer>> {
  const [br, gz] = await Promise.all([encodeAs('br', text, effort), encodeAs('gzip', text, effort)]);
  return { br, gzip: gz, identity: text };
}

/**
 * Returns `text` in one coding. A text of a page's length is compressed in the event loop's thread, with `quick` effort: the
 * other threads take up to twice the CPU time for it, because they return the memory of the encoder to the system each time.
 */
export async function encodeAs(coding: Coding, text: Buffer, effort: Effort): Promise<Buffer> {
  if (coding === 'identity') return text;
  const isSoonDone = effort === 'quick' && text.length <= MAX_BYTES_IN_THREAD;
  if (coding === 'gzip') {
    const options = { level: levels[effort].gzip };
    return isSoonDone ? gzipSync(text, options) : compressGzip(text, options);
  }
  const isShort = effort === 'quick' && text.length <= SHORT_TEXT_BYTES;
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: isShort ? SHORT_TEXT_LEVEL : levels[effort].br,
      [constants.BROTLI_PARAM_LGWIN]: WINDOW_BITS,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  };
  return isSoonDone ? brotliCompressSync(text, options) : compressBrotli(text, options);
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
