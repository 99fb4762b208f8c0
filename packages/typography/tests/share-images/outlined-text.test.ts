import { describe, expect, it } from 'vitest';
import { fontsFor } from '../../share-images/image-fonts.ts';
import { outlineText, type TextStyle, widthOf } from '../../share-images/outlined-text.ts';
import { fitText } from '../../share-images/wrapped-text.ts';

/** Fonts for all of `text`, at 100 pixels. */
async function styleFor(text: string, language: string): Promise<TextStyle> {
  const fonts = await fontsFor(text, language, 'title');
  return { fonts, size: 100, dir: language.startsWith('ar') ? 'rtl' : 'ltr', language };
}

/** The horizontal positions of the glyphs of a line. */
const positions = (svg: string) => [...svg.matchAll(/translate\((-?[\d.]+) /g)].map(([, x]) => Number(x));

describe('outlined text', () => {
  it('joins Arabic letters', async () => {
    const style = await styleFor('بيت', 'ar-SA');
    const separate = [...'بيت'].reduce((sum, letter) => sum + widthOf(letter, style), 0);
    expect(widthOf('بيت', style)).toBeLessThan(separate * 0.9);
  });

  it('forms conjuncts in Devanagari', async () => {
    const style = await styleFor('क्ष', 'hi-IN');
    expect(positions(outlineText('क्ष', style).svg)).toHaveLength(1);
  });

  it('keeps Latin words and numbers from left to right within Arabic', async () => {
    const text = 'موقع AV 12';
    const style = await styleFor(text, 'ar-SA');
    const alone = outlineText('AV 12', style);
    const { svg, width } = outlineText(text, style);
    // The end of the text is at the left edge, in its own order.
    expect(svg.startsWith(alone.svg)).toBe(true);
    expect(width).toBeGreaterThan(alone.width * 1.5);
  });

  it('draws every kind of space as a space', async () => {
    const style = await styleFor('a b', 'fr-FR');
    for (const space of ['\u00a0', '\u202f']) {
      expect(outlineText(`a${space}b`, style)).toEqual(outlineText('a b', style));
    }
  });
});

describe('fitted text', () => {
  const limits = { width: 600, height: 250, lineHeight: 1.2, sizes: [100, 50] };

  it('has lines of similar width in the largest size that fits', async () => {
    const style = await styleFor('one two three four', 'en-US');
    expect(fitText('one two', style, limits)).toEqual({ lines: ['one two'], size: 100 });
    expect(fitText('one two three four', style, limits)).toEqual({
      lines: ['one two', 'three four'],
      size: 100,
    });
    expect(fitText('one two three four five six', style, limits).size).toBe(50);
    expect(() => fitText('one two three '.repeat(20), style, limits)).toThrow('too long for the image');
  });

  it('breaks Chinese between words, and never before punctuation', async () => {
    const text = '十种语言的网站，密钥绝不外传。';
    const { lines } = fitText(text, await styleFor(text, 'zh-CN'), { ...limits, height: 500 });
    expect(lines.join('')).toBe(text);
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).not.toMatch(/^[，。]/);
  });
});
