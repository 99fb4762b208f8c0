import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  createCodingChoice,
  type Effort,
  encodeAs,
  encodeInAllCodings,
} from '../../../../app/server/http/content-coding.ts';

describe('the choice of a coding', () => {
  const choose = createCodingChoice();

  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['*;q=0', 'identity'],
    [`gzip, ${'x'.repeat(194)}`, 'gzip'],
    // Longer than any browser sends.
    [`gzip, ${'x'.repeat(195)}`, 'identity'],
  ])('chooses for “%s” the coding %s', (header, coding) => {
    expect(choose(header)).toBe(coding);
    expect(choose(header), 'remembered').toBe(coding);
  });
});

it('the choice of a coding is remembered for the codings that are available', () => {
  const choose = createCodingChoice();
  expect(choose('br, gzip')).toBe('br');
  expect(choose('br, gzip', ['gzip', 'identity'])).toBe('gzip');
  expect(choose('br, gzip', ['br', 'identity'])).toBe('br');
});

describe('a text in every coding', () => {
  const text = Buffer.from('The same words, over and over. '.repeat(100));

  it.each(['quick', 'best'] as const)('is the same text again when decoded (%s)', async (effort) => {
    const { br, gzip, identity } = await encodeInAllCodings(text, effort);
    expect(brotliDecompressSync(br).equals(text)).toBe(true);
    expect(gunzipSync(gzip).equals(text)).toBe(true);
    expect(identity).toBe(text);
    expect(await encodeAs('identity', text, effort)).toBe(text);
    expect(br.length).toBeLessThan(text.length);
    expect(gzip.length).toBeLessThan(text.length);
  });

  it('of up to 48 KiB is compressed in less time, and a longer one better', async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => String((index * index) % 9973));
    const long = Buffer.from(words.join(' ').slice(0, 48 * 1024 + 1));
    const short = long.subarray(0, 48 * 1024);
    const atLevel = (bytes: Buffer, level: number) =>
      brotliCompressSync(bytes, {
        params: { [constants.BROTLI_PARAM_QUALITY]: level, [constants.BROTLI_PARAM_LGWIN]: 18 },
      }).length;
    const [shortLevels, longLevels] = [short, long].map((bytes) => [1, 5].map((n) => atLevel(bytes, n)));
    expect(new Set(shortLevels).size).toBe(2);
    expect((await encodeAs('br', short, 'quick')).length).toBe(shortLevels?.[0]);
    expect((await encodeAs('br', long, 'quick')).length).toBe(longLevels?.[1]);
    for (const bytes of [short, long]) {
      expect((await encodeAs('br', bytes, 'best')).length).toBe(atLevel(bytes, 11));
    }
  });

  it('is shorter with more effort with gzip', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `<p>${index * 7919} and ${index % 89}`);
    const text = Buffer.from(lines.join(''));
    const [quick, best] = [await encodeAs('gzip', text, 'quick'), await encodeAs('gzip', text, 'best')];
    expect(best.length).toBeLessThan(quick.length);
  });

  it.each(['br', 'gzip'] as const)(
    'is ready at once up to 128 KiB, and made beside other work if it takes longer: %s',
    async (coding) => {
      const isReadyAtOnce = async (bytes: number, effort: Effort) => {
        let isReady = false;
        const encoding = encodeAs(coding, Buffer.alloc(bytes, 'a'), effort).then(() => {
          isReady = true;
        });
        // The result of another thread arrives in a later turn of the event loop.
        await new Promise<void>((resolve) => process.nextTick(resolve));
        const wasReady = isReady;
        await encoding;
        return wasReady;
      };
      expect(await isReadyAtOnce(128 * 1024, 'quick')).toBe(true);
      expect(await isReadyAtOnce(128 * 1024 + 1, 'quick')).toBe(false);
      expect(await isReadyAtOnce(1000, 'best')).toBe(false);
    },
  );
});
