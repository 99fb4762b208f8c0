/** Writes the site's font files and their style sheets from the texts of the site. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PlannedFile, planLocale, planWords } from './font-plan.ts';
import { basicLatinStyles, type FontFace, latinStyles, localeStyles, wordStyles } from './font-styles.ts';
import { hasNoGlyph } from './glyphs.ts';
import { fallbackWeights, latinNames, makeBasicLatinFonts, makeLatinFonts } from './latin-fonts.ts';
import { type LocaleTexts, type PlacedText, readSiteTexts } from './site-texts.ts';
import { charactersOf, packageFile, subsetTypeface, toTrueType } from './subset-typeface.ts';
import { isLatin, latinExtension, type Typeface, typefaceOf } from './typefaces.ts';

export type FontFolders = {
  /** Where the texts of the site are, by locale. */
  locales: string;
  /** Where to write the files. Other files in it are deleted. */
  target: string;
};

/**
 * Writes `latin.css` for the Latin families, `{locale}.css` for every language that needs more, `words.css` for its words
 * on other pages, and the font files that these name. Files that have not changed stay as they are. Throws an error that names
 * the text of a character that no font contains.
 */
export async function writeFonts({ locales, target }: FontFolders): Promise<void> {
  const latin = await makeLatinFonts();
  const characters = await charactersByFile(new Map([...latin, ...latinExtensions()]));
  const isInLatin = latinTest(characters);
  const siteTexts = readSiteTexts(locales);
  const basic = await makeBasicLatinFonts(latin, textsBesideScripts(siteTexts));
  const basicStyles = basicLatinStyles(new Map([...characters, ...(await charactersByFile(basic))]));
  const files = new Map<string, string | Buffer>([...latin, ...basic]);
  const words: string[] = [];
  for (const texts of siteTexts) {
    const typeface = typefaceOf(texts.iso);
    const isMissing = (character: string) => !isInLatin(character) || typeface.own.includes(character);
    const faces = await makeFaces(planLocale(texts, typeface, isMissing), typeface, files);
    if (faces.length > 0) {
      files.set(`${texts.code}.css`, `${basicStyles}\n${localeStyles(texts.code, faces, typeface)}`);
    }
    words.push(...(await makeWords(texts, typeface, isMissing, files)));
  }
  const weights = latinNames.map(async (name) => [name, await fallbackWeights(name)] as const);
  files.set('latin.css', latinStyles(characters, new Map(await Promise.all(weights))));
  files.set('words.css', words.join('\n'));
  writeFiles(target, files);
}

/** The texts of pages in other scripts than Latin, with the words of Latin languages that these pages show. */
function textsBesideScripts(siteTexts: readonly LocaleTexts[]): string[] {
  const shown = siteTexts.flatMap(({ iso, namespaces, elsewhere }) => [
    ...(isLatin(iso) ? elsewhere : namespaces).values(),
  ]);
  return shown.flat().map(({ text }) => text);
}

/** The files of packages with the less frequent Latin letters, by the address that style sheets use. */
function latinExtensions(): [string, Buffer][] {
  return latinNames.map(latinExtension).map((file) => [file, readFileSync(packageFile(file))]);
}

async function charactersByFile(
  fonts: ReadonlyMap<string, Buffer>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const read = [...fonts].map(
    async ([name, font]) => [name, [...charactersOf(await toTrueType(font))]] as const,
  );
  return new Map(await Promise.all(read));
}

async function makeWords(
  texts: LocaleTexts,
  typeface: Typeface,
  isMissing: (character: string) => boolean,
  files: Map<string, string | Buffer>,
): Promise<string[]> {
  const faces = await makeFaces(planWords(texts, typeface, isMissing), typeface, files);
  return faces.length > 0 ? [wordStyles(texts.code, [...texts.elsewhere.keys()], faces, typeface)] : [];
}

/** Makes the planned files, adds them to `files` and returns their faces. */
async function makeFaces(
  planned: readonly PlannedFile[],
  typeface: Typeface,
  files: Map<string, string | Buffer>,
): Promise<FontFace[]> {
  const faces: FontFace[] = [];
  for (const plan of planned) {
    const left = new Map(plan.characters);
    for (const packageName of typeface.packages) {
      for (const { font, characters } of await subsetTypeface(
        packageName,
        new Set(left.keys()),
        plan.weight,
        plan.style,
      )) {
        const covered = [...characters].filter((character) => left.delete(character));
        if (covered.length === 0) continue;
        const number = faces.filter(({ plan: { name } }) => name === plan.name).length;
        const file = `${plan.name}${number > 0 ? `-${number + 1}` : ''}.woff2`;
        files.set(file, font);
        faces.push({ plan, file, characters: covered });
      }
    }
    for (const [character, placed] of left) throw missingCharacter(character, placed, typeface);
  }
  return faces;
}

function missingCharacter(character: string, { place, key }: PlacedText, { packages }: Typeface): Error {
  const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const where = key ? `${place}, key "${key}"` : place;
  return new Error(`${where}: ${packages.join(' and ')} have no character “${character}” (U+${code}).`);
}

/** Returns a test whether both Latin families of the site contain a character, or text needs no glyph for it. */
function latinTest(characters: ReadonlyMap<string, readonly string[]>): (character: string) => boolean {
  const families = latinNames.map(
    (name) =>
      new Set([`${name}-latin.woff2`, latinExtension(name)].flatMap((file) => characters.get(file) ?? [])),
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
