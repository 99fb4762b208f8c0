/** The Latin fonts of every page: all characters and features of the packages, with the weights that the site uses. */
import { readFileSync } from 'node:fs';
import { cached, packageFile, toTrueType, toWoff2, type Weight } from './subset-typeface.ts';
import { addCharacters } from './truetype.ts';

/** The packages lack the hyphen of Unicode and the one at which lines do not break. */
const HYPHENS = { '\u2010': '-', '\u2011': '-' };

/** Emphasis in running text needs one weight of the italic. */
const files: Record<string, { source: string; weight: Weight }> = {
  'dm-sans-latin': {
    source: 'dm-sans/files/dm-sans-latin-wght-normal.woff2',
    weight: { min: 300, max: 700 },
  },
  'dm-sans-latin-italic': { source: 'dm-sans/files/dm-sans-latin-wght-italic.woff2', weight: 400 },
  'space-grotesk-latin': {
    source: 'space-grotesk/files/space-grotesk-latin-wght-normal.woff2',
    weight: { min: 300, max: 700 },
  },
};

/** The Latin files of every page as WOFF2, by name. */
export async function makeLatinFonts(): Promise<Map<string, Buffer>> {
  const made = Object.entries(files).map(async ([name, { source, weight }]) => {
    const content = readFileSync(packageFile(`@fontsource-variable/${source}`));
    const font = await cached([content.toString('base64'), weight], async () =>
      toWoff2(addCharacters(await toTrueType(content, weight), HYPHENS)),
    );
    return [`${name}.woff2`, font] as const;
  });
  return new Map(await Promise.all(made));
}
