import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createCodingChoice, encodeAs, encodeInAllCodings } from '../src/content-coding.ts';

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

  it('is the same text again when decoded', async () => {
    const { br, gzip, identity } = await encodeInAllCodings(text);
    expect(brotliDecompressSync(br).equals(text)).toBe(true);
    expect(gunzipSync(gzip).equals(text)).toBe(true);
    expect(identity).toBe(text);
    expect(await encodeAs('identity', text)).toBe(text);
    expect(br.length).toBeLessThan(text.length);
    expect(gzip.length).toBeLessThan(text.length);
  });

  it('is shorter with higher levels', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) => `<p>${index * 7919} and ${index % 89}`);
    const long = Buffer.from(lines.join(''));
    const [quick, best] = [
      await encodeInAllCodings(long),
      await encodeInAllCodings(long, { br: 11, gzip: 9 }),
    ];
    expect(best.br.length).toBeLessThan(quick.br.length);
    expect(best.gzip.length).toBeLessThan(quick.gzip.length);
  });
});
