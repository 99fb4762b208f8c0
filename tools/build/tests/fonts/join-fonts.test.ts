import { readFileSync } from 'node:fs';
import { Blob, Face, Font } from 'harfbuzzjs';
import subsetFont from 'subset-font';
import { expect, it } from 'vitest';
import { joinFonts } from '../../fonts/join-fonts.ts';
import { packageFile, toTrueType, toWoff2 } from '../../fonts/subset-typeface.ts';

const FAMILY = '@fontsource-variable/noto-sans-sc/files/noto-sans-sc';

const part = (number: number, text: string) =>
  subsetFont(readFileSync(packageFile(`${FAMILY}-${number}-wght-normal.woff2`)), text, {
    targetFormat: 'sfnt',
    noHinting: true,
    keepFeatures: [],
    variationAxes: { wght: 400 },
  });

/** The outline, box and width of a character. */
function drawn(data: Uint8Array, character: string) {
  const font = new Font(new Face(new Blob(data)));
  const glyph = font.nominalGlyph(character.codePointAt(0) ?? 0) ?? 0;
  return {
    path: font.glyphToPath(glyph),
    extents: font.glyphExtents(glyph),
    width: font.glyphHAdvance(glyph),
  };
}

it('draws every character of the joined fonts as before, also after the conversion to WOFF2', async () => {
  const parts = { 的一是不: await part(119, '的一是不'), 语言页面: await part(118, '语言页面') };
  const joined = await toTrueType(await toWoff2(joinFonts(Object.values(parts))));
  for (const [text, data] of Object.entries(parts)) {
    const present = [...text].filter(
      (character) => drawn(data, character).path !== drawn(data, '\u0000').path,
    );
    expect(present.length).toBeGreaterThan(0);
    for (const character of present) expect(drawn(joined, character)).toEqual(drawn(data, character));
  }
});
