/** Writes the site's font files and their style sheets from the texts of the site. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fonts } from '../../../app/brand/fonts.ts';
import { type FontFace, latinStyles, scriptStyles, wordStyles } from './font-styles.ts';
import { hasNoGlyph } from './glyphs.ts';
import { fallbackWeights, makeLatinFonts } from './latin-fonts.ts';
import { type PlacedText, readSiteTexts } from './site-texts.ts';
import { charactersOf, packageFile, subsetTypeface, toTrueType } from './subset-typeface.ts';
import { type Cut, latinExtension, type Typeface, typefaceOf } from './typefaces.ts';

export type FontFolders = {
  /** Where the texts of the site are, by locale. */
  locales: string;
  /** Where to write the files. Other files in it are deleted. */
  target: string;
};

/**
 * Writes `latin.css` for the Latin families, `{locale}.css` for every language that needs more, `words.css` for its words
 * on other pages, and the font files that these name. Files that have not changed stay as they are. Throws an error that
 * names the text of a character that no font contains.
 */
export async function writeFonts({ locales, target }: FontFolders): Promise<void> {
  const latin = await makeLatinFonts();
  const characters = await charactersByFile(latin);
  const isInLatin = latinTest(characters);
  const files = new Map<string, string | Buffer>(latin);
  const words: string[] = [];
  for (const { code, iso, texts, names, sentences } of readSiteTexts(locales)) {
    const typeface = typefaceOf(iso);
    const isMissing = (character: string) => !isInLatin(character) || typeface.own.includes(character);
    const facesFor = async (placed: readonly PlacedText[], family: string, cuts: readonly Cut[]) => {
      const missing = charactersIn(placed, isMissing);
      const made = cuts.map((cut) => makeFaces(missing, `${code}-${cut.name}`, { family, cut, typeface }));
      const faces = (await Promise.all(made)).flat();
      for (const { face, font } of faces) files.set(face.file, font);
      return faces.map(({ face }) => face);
    };
    const faces = await facesFor(texts, `Text ${code}`, typeface.cuts);
    if (faces.length > 0) files.set(`${code}.css`, scriptStyles(code, faces, typeface));
    const elsewhere = {
      names: await facesFor(names, `Names ${code}`, [wordCut('names')]),
      sentences: await facesFor(sentences, `Sentences ${code}`, [wordCut('sentences')]),
    };
    if (Object.values(elsewhere).flat().length > 0) words.push(wordStyles(code, elsewhere));
  }
  files.set('latin.css', latinStyles(characters, await fallbackWeights()));
  files.set('words.css', words.join('\n'));
  writeFiles(target, files);
}

function wordCut(name: string): Cut {
  return { name, weight: 400, cssWeight: '1 1000', display: 'optional' };
}

/** The characters of each Latin file, and of those with the less frequent letters, which pages use as packages have them. */
async function charactersByFile(
  latin: ReadonlyMap<string, Buffer>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const extensions = Object.values(fonts).map(({ file }) => latinExtension(file));
  const all = [...latin, ...extensions.map((file) => [file, readFileSync(packageFile(file))] as const)];
  const read = all.map(async ([name, font]) => [name, [...charactersOf(await toTrueType(font))]] as const);
  return new Map(await Promise.all(read));
}

/** The characters of texts, each with the first text that has it. */
function charactersIn(
  texts: readonly PlacedText[],
  isMissing: (character: string) => boolean,
): Map<string, PlacedText> {
  const found = new Map<string, PlacedText>();
  for (const placed of texts) {
    for (const character of placed.text) {
      if (!found.has(character) && isMissing(character)) found.set(character, placed);
    }
  }
  return found;
}

/** Makes one file of the characters, or several if they come from several files of packages. */
async function makeFaces(
  characters: ReadonlyMap<string, PlacedText>,
  name: string,
  { family, cut, typeface }: { family: string; cut: Cut; typeface: Typeface },
): Promise<{ face: FontFace; font: Buffer }[]> {
  const left = new Map(characters);
  const faces: { face: FontFace; font: Buffer }[] = [];
  const { weight, cssWeight, style = 'normal', display } = cut;
  for (const packageName of typeface.packages) {
    for (const subset of await subsetTypeface(packageName, new Set(left.keys()), weight, style)) {
      const covered = [...subset.characters].filter((character) => left.delete(character));
      if (covered.length === 0) continue;
      const file = `${name}${faces.length > 0 ? `-${faces.length + 1}` : ''}.woff2`;
      faces.push({
        face: { family, file, characters: covered, weight: cssWeight, style, display },
        font: subset.font,
      });
    }
  }
  for (const [character, placed] of left) throw missingCharacter(character, placed, typeface);
  return faces;
}

function missingCharacter(character: string, { place, key }: PlacedText, { packages }: Typeface): Error {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const where = key ? `${place}, key "${key}"` : place;
  return new Error(`${where}: ${packages.join(' and ')} have no character “${character}” (U+${code}).`);
}

/** Returns a test whether both Latin families of the site contain a character, or text needs no glyph for it. */
function latinTest(characters: ReadonlyMap<string, readonly string[]>): (character: string) => boolean {
  const families = Object.values(fonts).map(
    ({ file }) =>
      new Set([`${file}-latin.woff2`, latinExtension(file)].flatMap((name) => characters.get(name) ?? [])),
  );
  return (character) => hasNoGlyph(character) || families.every((family) => family.has(character));
}

/** Makes `target` contain exactly these files. A file with the same content is not written, so that nothing reloads. */
function writeFiles(target: string, files: ReadonlyMap<string, string | Buffer>): void {
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(target)) if (!files.has(name)) rmSync(join(target, name));
  for (const [name, content] of files) {
    const path = join(target, name);
    const data = Buffer.from(content);
    if (!existsSync(path) || !readFileSync(path).equals(data)) writeFileSync(path, data);
  }
}
