import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fonts } from '~/brand/fonts.ts';
import { locales } from '~/i18n/locales.ts';
import { other } from '../../../../tests/support/this-site.ts';
import { hasNoGlyph } from '../../fonts/glyphs.ts';
import { readSiteTexts } from '../../fonts/site-texts.ts';
import { charactersOf, packageFile, toTrueType } from '../../fonts/subset-typeface.ts';
import { writeFonts } from '../../fonts/write-fonts.ts';

/** Bytes of all files of a language, beside the Latin files, and of its name on pages in other languages. */
const BUDGETS: Record<string, number> = { zh: 170_000, ja: 140_000, hi: 70_000, ar: 40_000, ru: 20_000 };
const NAME_BUDGET = 5_000;

type Face = {
  families: string;
  file: string;
  characters: ReadonlySet<string>;
  isInRange: (code: number) => boolean;
};

const LATIN_FAMILIES = [fonts.text.family, fonts.headings.family];
/** The less frequent letters of a family are in a family of their own. */
const withRest = (family: string) => [family, `${family} Rest`];

const folder = mkdtempSync(join(tmpdir(), 'fonts-'));
const built = join(folder, 'built');
const texts = readSiteTexts('public/locales');
let latin: Face[] = [];

beforeAll(async () => {
  await writeFonts({ locales: 'public/locales', target: built });
  latin = await readFaces(join(built, 'latin.css'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The faces of a style sheet, with the real character maps of their files. */
async function readFaces(styleSheet: string): Promise<Face[]> {
  const rules = [...readFileSync(styleSheet, 'utf8').matchAll(/@font-face \{([^}]+)\}/g)];
  const faces = rules.map(async ([, rule = '']): Promise<Face[]> => {
    const [, address] = /url\("([^"]+)"\)/.exec(rule) ?? [];
    if (!address) return [];
    const isPackage = address.startsWith('@');
    const file = isPackage ? packageFile(address) : join(built, basename(address));
    const ranges = [...rule.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)].map(([, from = '', to = from]) => [
      Number.parseInt(from, 16),
      Number.parseInt(to, 16),
    ]);
    return [
      {
        families: /font-family: "([^"]+)"/.exec(rule)?.[1] ?? '',
        file,
        characters: charactersOf(await toTrueType(readFileSync(file))),
        isInRange: (code) => ranges.some(([from = 0, to = 0]) => code >= from && code <= to),
      },
    ];
  });
  return (await Promise.all(faces)).flat();
}

const covers = (faces: readonly Face[], character: string) =>
  faces.some(
    ({ characters, isInRange }) => isInRange(character.codePointAt(0) ?? 0) && characters.has(character),
  );

/** The texts with a character that no face draws, as `place key: character`. */
function missing(
  faces: readonly Face[],
  placed: Iterable<{ text: string; place: string; key: string }>,
): string[] {
  return [...placed].flatMap(({ text, place, key }) =>
    [...text]
      .filter((character) => !hasNoGlyph(character) && !covers(faces, character))
      .map((character) => `${place} ${key}: ${character}`),
  );
}

describe.each(texts)('the fonts of $code', ({ code, texts: shown, names, sentences }) => {
  const ownFaces = async () =>
    existsSync(join(built, `${code}.css`)) ? readFaces(join(built, `${code}.css`)) : [];

  it('draw every character of every page in text and in headings', async () => {
    const own = await ownFaces();
    for (const family of LATIN_FAMILIES) {
      const faces = latin.filter(({ families }) => withRest(family).includes(families));
      expect(missing([...faces, ...own], shown)).toEqual([]);
    }
  });

  it('draw every word of the language on pages in other languages', async () => {
    const words = await readFaces(join(built, 'words.css'));
    for (const [family, placed] of Object.entries({ Names: names, Sentences: sentences })) {
      const own = words.filter(({ families }) => families === `${family} ${code}`);
      expect(missing([...latin, ...own], placed)).toEqual([]);
    }
  });

  it.each(code in BUDGETS ? [BUDGETS[code]] : [])('stay within the budget of %i bytes', (budget = 0) => {
    const bytes = (name: string) => {
      const files = readdirSync(built).filter((file) => file.startsWith(name) && file.endsWith('.woff2'));
      expect(files).not.toEqual([]);
      return files.reduce((sum, file) => sum + statSync(join(built, file)).size, 0);
    };
    const ofOtherPages = bytes(`${code}-names`) + bytes(`${code}-sentences`);
    expect(bytes(`${code}-`) - ofOtherPages).toBeLessThanOrEqual(budget);
    expect(bytes(`${code}-names`)).toBeLessThanOrEqual(NAME_BUDGET);
  });
});

it('covers every language of the site', () => {
  expect(texts.map(({ code }) => code)).toEqual(locales.map(({ code }) => code));
});

it('have one Latin file for each character, so that a late file does not make the browser load another one', () => {
  for (const family of LATIN_FAMILIES) {
    const upright = latin.filter(
      ({ families, file }) => withRest(family).includes(families) && !file.includes('italic'),
    );
    expect(upright).toHaveLength(2);
    const characters = new Set(upright.flatMap((face) => [...face.characters]));
    const shared = [...characters].filter((character) =>
      upright.every(({ isInRange }) => isInRange(character.codePointAt(0) ?? 0)),
    );
    expect(shared).toEqual([]);
  }
});

it('scales the fonts of devices to the width and the heights of both families', () => {
  const style = readFileSync(join(built, 'latin.css'), 'utf8');
  const faces = [...style.matchAll(/@font-face \{([^}]+local[^}]+)\}/g)].map(([, face = '']) => face);
  const percentages = (face: string) => [...face.matchAll(/: ([\d.]+)%/g)].map(([, value]) => Number(value));
  expect(faces).toHaveLength(8);
  for (const face of faces) {
    const [width = 0, ascent = 0, descent = 0] = percentages(face);
    // Widths of typefaces for text differ by less than a fifth, and a line of text is one to one and a half ems high.
    expect(width).toBeGreaterThan(85);
    expect(width).toBeLessThan(120);
    expect(((ascent + descent) * width) / 100).toBeGreaterThan(100);
    expect(((ascent + descent) * width) / 100).toBeLessThan(150);
  }
});

it('does not write a file again that has not changed', async () => {
  const before = readdirSync(built).map((file) => statSync(join(built, file)).mtimeMs);
  await writeFonts({ locales: 'public/locales', target: built });
  expect(readdirSync(built).map((file) => statSync(join(built, file)).mtimeMs)).toEqual(before);
});

describe('texts that cannot be set', () => {
  /** A copy of the translations in which one file has been changed. */
  const changedLocales = (file: string, change: (content: string) => string): string => {
    const copy = join(mkdtempSync(join(folder, 'locales-')), 'locales');
    cpSync('public/locales', copy, { recursive: true });
    const path = join(copy, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
    return copy;
  };
  const write = (locales: string) => writeFonts({ locales, target: join(dirname(locales), 'built') });

  it('are an error that names the file, the key and the character', async () => {
    const locales = changedLocales('en/common.json', (content) =>
      content.replace('{', '{ "greeting": "Hello 🦄",'),
    );
    await expect(write(locales)).rejects.toThrow(
      /en\/common\.json, key "greeting": .*have no character “🦄” \(U\+1F984\)/,
    );
  });

  it('are an error that names a file with a syntax error', async () => {
    const locales = changedLocales(`${other.code}/home.json`, (content) => content.replace('{', '{,'));
    await expect(write(locales)).rejects.toThrow(`${other.code}/home.json is not valid JSON`);
  });
});
