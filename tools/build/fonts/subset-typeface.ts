/** Subsets of the typefaces that Fontsource packages, as WOFF2. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Blob, Face } from 'harfbuzzjs';
import subsetFont from 'subset-font';
import { joinFonts } from './join-fonts.ts';

/** A fixed weight, or a range in a variable font. */
export type Weight = number | { min: number; max: number };
export type Style = 'normal' | 'italic';

const require = createRequire(import.meta.url);
const cacheFolder = 'node_modules/.cache/site-fonts';
const typography = 'tools/build';
/** The code that makes the cached files, and the versions of the packages that it uses. Others may make other files. */
const code = readdirSync(typography, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ts$|^package\.json$/.test(file) && !file.startsWith('tests'))
  .sort()
  .map((file) => readFileSync(join(typography, file), 'utf8'));
const version = createHash('sha256').update(code.join('\0')).digest('hex');

/** A file of a package, and the characters to take from it. */
type FileSubset = { file: string; text: string };

/** The characters that a font has glyphs for, as its character map says. `font` is TrueType, not WOFF2. */
export function charactersOf(font: Uint8Array): Set<string> {
  return new Set([...new Face(new Blob(font)).collectUnicodes()].map((code) => String.fromCodePoint(code)));
}

/** A font in any format as TrueType, with all its characters, and with a weight or range of weights if it is variable. */
export function toTrueType(font: Uint8Array, weight?: Weight): Promise<Buffer> {
  const options = weight === undefined ? {} : { noHinting: true, variationAxes: { wght: weight } };
  return subsetFont(font, undefined, { ...options, keepAllGlyphs: true, targetFormat: 'sfnt' });
}

export function toWoff2(font: Uint8Array): Promise<Buffer> {
  return subsetFont(font, undefined, { keepAllGlyphs: true, targetFormat: 'woff2' });
}

/** The path of a file of a package. */
export function packageFile(specifier: string): string {
  return require.resolve(specifier);
}

/** A WOFF2 file, and the characters that it has glyphs for. */
export type Subset = { font: Buffer; characters: ReadonlySet<string> };

/**
 * The characters that the package contains, as WOFF2: one file with a fixed weight, or one for each file of the package
 * with a variable one. Results are cached on disk.
 */
export async function subsetTypeface(
  packageName: string,
  characters: ReadonlySet<string>,
  weight: Weight,
  style: Style = 'normal',
): Promise<Subset[]> {
  const files = filesFor(packageName, characters, style);
  if (files.length === 0) return [];
  const subset = async (group: readonly FileSubset[]): Promise<Subset[]> => {
    const font = await cached([weight, group], () => makeSubset(group, weight));
    return font.length > 0 ? [{ font, characters: charactersOf(await toTrueType(font)) }] : [];
  };
  // Only fonts with a fixed weight can be joined.
  const groups = typeof weight === 'number' ? [files] : files.map((file) => [file]);
  return (await Promise.all(groups.map(subset))).flat();
}

/** The files of a package that contain some of the characters, each with those that it is for. */
function filesFor(packageName: string, characters: ReadonlySet<string>, style: Style): FileSubset[] {
  const left = new Set(characters);
  const name = packageName.slice(packageName.indexOf('/') + 1);
  const files = Object.entries(readJson(packageFile(`${packageName}/unicode.json`))).map(([key, ranges]) => {
    const isInRanges = rangeTest(String(ranges));
    const text = [...left].filter(isInRanges).sort().join('');
    for (const character of text) left.delete(character);
    // Numbered files have brackets around the number here, but not in their names.
    const file = `${packageName}/files/${name}-${key.replace(/[[\]]/g, '')}-wght-${style}.woff2`;
    return { file, text };
  });
  return files.filter(({ text }) => text !== '');
}

/** Returns a test for the ranges of a `unicode-range` descriptor. */
function rangeTest(ranges: string): (character: string) => boolean {
  const parsed = ranges.split(',').map((range) => {
    const [from = '', to = from] = range.trim().slice('U+'.length).split('-');
    return [Number.parseInt(from, 16), Number.parseInt(to, 16)] as const;
  });
  return (character) => {
    const code = character.codePointAt(0) ?? 0;
    return parsed.some(([from, to]) => code >= from && code <= to);
  };
}

/** The file, or an empty buffer if no file of the package contains any of the characters, whatever its ranges say. */
async function makeSubset(files: readonly FileSubset[], weight: Weight): Promise<Buffer> {
  const options = { noHinting: true, variationAxes: { wght: weight } };
  const parts: Buffer[] = [];
  for (const { file, text } of files) {
    const source = readFileSync(packageFile(file));
    const part = await subsetFont(source, text, { ...options, targetFormat: 'sfnt' });
    if (charactersOf(part).size > 0) parts.push(part);
  }
  const [only] = parts;
  if (!only) return Buffer.alloc(0);
  const font = parts.length === 1 ? only : joinFonts(parts);
  return toWoff2(font);
}

/** The cached file that was made from the same input. `make` is called if there is none. */
export async function cached(input: readonly unknown[], make: () => Promise<Buffer>): Promise<Buffer> {
  const key = JSON.stringify([version, ...input]);
  const path = join(cacheFolder, createHash('sha256').update(key).digest('hex'));
  try {
    return readFileSync(path);
  } catch {
    const content = await make();
    mkdirSync(cacheFolder, { recursive: true });
    // Two builds may write at the same time.
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, content);
    renameSync(temporary, path);
    return content;
  }
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, 'utf8'));
}
