/**
 * The Latin fonts: complete ones for pages in Latin languages, with the weights that the site uses, and smaller ones for
 * pages in other scripts.
 */
import { readFileSync } from 'node:fs';
import { fonts } from '../../../app/brand/fonts.ts';
import type { Weights } from './fallback-fonts.ts';
import { cached, packageFile, subsetFile, toTrueType, toWoff2, type Weight } from './subset-typeface.ts';
import { addCharacters } from './truetype.ts';

/** The packages lack the hyphen of Unicode and the one at which lines do not break. */
const HYPHENS = { '\u2010': '-', '\u2011': '-' };

/** The characters that visitors type, and those of the typography page. */
const BASIC_CHARACTERS = `${characterRange(' ', '~')}\u00A0·–—‘’“”•…§€ßæñçøœå`;

/** The two Latin families, as packages and files name them. */
export const latinNames = [fonts.text.file, fonts.headings.file];

/** Emphasis in running text needs one weight of the italic. */
const files: Record<string, { source: string; weight: Weight }> = {
  ...Object.fromEntries(
    latinNames.map((name) => [
      `${name}-latin`,
      { source: latinSource(name, 'normal'), weight: { min: 300, max: 700 } },
    ]),
  ),
  [`${fonts.text.file}-latin-italic`]: { source: latinSource(fonts.text.file, 'italic'), weight: 400 },
};

function latinSource(name: string, style: 'normal' | 'italic'): string {
  return `@fontsource-variable/${name}/files/${name}-latin-wght-${style}.woff2`;
}

/** The weights of a family that its fallback fonts stand in for: those of text and of headings. */
export async function fallbackWeights(name: string): Promise<Weights> {
  const content = readFileSync(packageFile(latinSource(name, 'normal')));
  return { regular: await toTrueType(content, 400), bold: await toTrueType(content, 600) };
}

/** The complete Latin files as WOFF2, by name. */
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

/**
 * The Latin files of pages in other scripts as WOFF2, by name: the characters of a keyboard, and those of `texts`. A page
 * with another Latin character loads the complete file as well.
 */
export async function makeBasicLatinFonts(
  latin: ReadonlyMap<string, Buffer>,
  texts: Iterable<string>,
): Promise<Map<string, Buffer>> {
  const characters = [...new Set(BASIC_CHARACTERS + [...texts].join(''))].sort().join('');
  const made = latinNames.map(async (name) => {
    const font = latin.get(`${name}-latin.woff2`) ?? Buffer.alloc(0);
    return [`${name}-basic.woff2`, await subsetFile(font, characters)] as const;
  });
  return new Map(await Promise.all(made));
}

function characterRange(first: string, last: string): string {
  const from = first.charCodeAt(0);
  return String.fromCharCode(
    ...Array.from({ length: last.charCodeAt(0) - from + 1 }, (_, index) => from + index),
  );
}
