/** The fonts of the share images: the site's families in one weight each, for HarfBuzz. */
import { readFileSync } from 'node:fs';
import { Blob, Face, Font } from 'harfbuzzjs';
import { fonts } from '../../../app/brand/fonts.ts';
import { hasNoGlyph } from '../fonts/glyphs.ts';
import { charactersOf, packageFile, subsetTypeface, toTrueType } from '../fonts/subset-typeface.ts';
import { typefaceOf } from '../fonts/typefaces.ts';

export type ImageFont = { font: Font; unitsPerEm: number; characters: ReadonlySet<string> };

const families = { title: fonts.headings, text: fonts.text };
const weights = { title: 600, text: 400 } as const;

/**
 * The fonts to draw `text` in a language with: the site's Latin family, and what it lacks from the language's typeface. The
 * punctuation that belongs to the script comes from the typeface, as on the site.
 */
export async function fontsFor(text: string, language: string, role: 'title' | 'text'): Promise<ImageFont[]> {
  const { packages, own } = typefaceOf(language);
  const ofSite = await latinFonts(role);
  const isMissing = (character: string) =>
    !hasNoGlyph(character) &&
    (own.includes(character) || !ofSite.some(({ characters }) => characters.has(character)));
  const missing = new Set([...text].filter(isMissing));
  const first: ImageFont[] = [];
  for (const packageName of packages) {
    for (const subset of await subsetTypeface(packageName, missing, weights[role])) {
      for (const character of subset.characters) missing.delete(character);
      first.push(openFont(await toTrueType(subset.font), [...subset.characters].filter(isMissing)));
    }
  }
  return [...first, ...ofSite];
}

const latin = new Map<string, Promise<ImageFont[]>>();

/** The Latin fonts, opened once. */
function latinFonts(role: 'title' | 'text'): Promise<ImageFont[]> {
  const opened = latin.get(role) ?? openLatinFonts(role);
  latin.set(role, opened);
  return opened;
}

async function openLatinFonts(role: 'title' | 'text'): Promise<ImageFont[]> {
  const name = families[role].file;
  const files = ['latin', 'latin-ext'].map((part) =>
    packageFile(`@fontsource-variable/${name}/files/${name}-${part}-wght-normal.woff2`),
  );
  return Promise.all(
    files.map(async (file) => openFont(await toTrueType(readFileSync(file), weights[role]))),
  );
}

/** `characters` limits what the font is used for. */
function openFont(data: Buffer, characters: Iterable<string> = charactersOf(data)): ImageFont {
  const face = new Face(new Blob(data));
  return { font: new Font(face), unitsPerEm: face.upem, characters: new Set(characters) };
}
