/** The two Latin families of the site, with the weights that it uses. */
import { readFileSync } from 'node:fs';
import { fonts } from '../../../app/brand/fonts.ts';
import type { Weights } from './fallback-fonts.ts';
import { cached, packageFile, toTrueType, toWoff2, type Weight } from './subset-typeface.ts';
import { addCharacters } from './truetype.ts';

/** The packages lack the hyphen of Unicode and the one at which lines do not break. */
const HYPHENS = { '\u2010': '-', '\u2011': '-' };

/** Emphasis in running text needs one weight of the italic. */
const files: Record<string, { source: string; weight: Weight }> = {
  ...Object.fromEntries(
    Object.values(fonts).map(({ file }) => [
      `${file}-latin`,
      { source: latinSource(file, 'normal'), weight: { min: 300, max: 700 } },
    ]),
  ),
  [`${fonts.text.file}-latin-italic`]: { source: latinSource(fonts.text.file, 'italic'), weight: 400 },
};

function latinSource(name: string, style: 'normal' | 'italic'): string {
  return `@fontsource-variable/${name}/files/${name}-latin-wght-${style}.woff2`;
}

/** The weights of text and of headings, for which fallback fonts stand in, by the name of the fallback. */
export async function fallbackWeights(): Promise<Map<string, Weights>> {
  const read = Object.entries({ Text: fonts.text, Headings: fonts.headings }).map(
    async ([name, { file }]) => {
      const content = readFileSync(packageFile(latinSource(file, 'normal')));
      return [
        name,
        { regular: await toTrueType(content, 400), bold: await toTrueType(content, 600) },
      ] as const;
    },
  );
  return new Map(await Promise.all(read));
}

/** The files as WOFF2, by name. */
export async function makeLatinFonts(): Promise<Map<string, Buffer>> {
  const made = Object.entries(files).map(async ([name, { source, weight }]) => {
    const content = readFileSync(packageFile(source));
    const font = await cached([content.toString('base64'), weight], async () =>
      toWoff2(addCharacters(await toTrueType(content, weight), HYPHENS)),
    );
    return [`${name}.woff2`, font] as const;
  });
  return new Map(await Promise.all(made));
}
