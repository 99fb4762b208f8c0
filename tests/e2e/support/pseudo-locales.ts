/** Pseudo locales: the English texts, longer and with accents, also in the place of a language from right to left. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocaleCode, locales } from '../../../app/i18n/locales.ts';

/** The locales that have pseudo texts: English, and those from right to left as the mirrored variants. */
export const pseudoLocales = locales.filter(({ code, dir }) => code === 'en' || dir === 'rtl');

/** Translations are this much longer than English ones, as short ones are in many languages. */
const GROWTH = 1.4;
const LETTERS = 'acdeghijklnorstuwyz';
const ACCENTED = 'áçđéĝĥíĵķļñóŕšťúŵýž';
const VOWELS = 'aeiou';
/** Tags of `RichText` and placeholders stay as they are. */
const KEPT = /(<\/?\w+>|\{\{.*?\}\})/;

/** Matches texts that are not pseudo texts: those with one of the letters that pseudo texts have with an accent. */
export const untouchedLetter = new RegExp(`[${LETTERS}]`, 'i');

/** An English text in brackets, with accents and doubled vowels. */
function pseudoText(text: string): string {
  const accented = text
    .split(KEPT)
    .map((part, index) => (index % 2 === 1 ? part : [...part].map(accent).join('')))
    .join('');
  const missing = Math.ceil(text.length * GROWTH) - accented.length - 2;
  return `[${accented}${' ~'.repeat(Math.max(0, Math.ceil(missing / 2)))}]`;
}

function accent(character: string): string {
  const lower = character.toLowerCase();
  const accented = ACCENTED[LETTERS.indexOf(lower)];
  if (accented === undefined) return character;
  const cased = character === lower ? accented : accented.toUpperCase();
  return VOWELS.includes(lower) ? cased + accented : cased;
}

/** A copy of the build in which the pseudo locales have pseudo texts. Returns its folder. */
export function createPseudoBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pseudo-'));
  cpSync('build', join(folder, 'build'), { recursive: true });
  for (const { code } of pseudoLocales) writePseudoTexts(folder, code);
  return folder;
}

export function removePseudoBuild(folder: string): void {
  rmSync(folder, { recursive: true });
}

function writePseudoTexts(folder: string, code: LocaleCode): void {
  const english = 'public/locales/en';
  for (const file of readdirSync(english)) {
    const texts = JSON.parse(readFileSync(join(english, file), 'utf8'), (_, value) =>
      typeof value === 'string' ? pseudoText(value) : withAllPluralForms(value),
    );
    writeFileSync(join(folder, 'build/client/locales', code, file), JSON.stringify(texts));
  }
}

/** Adds the plural forms that English does not have. */
function withAllPluralForms(texts: Record<string, unknown>): Record<string, unknown> {
  const others = Object.entries(texts).filter(([key]) => key.endsWith('_other'));
  const forms = others.flatMap(([key, text]) =>
    ['zero', 'two', 'few', 'many'].map((form) => [key.replace(/other$/, form), text] as const),
  );
  return { ...texts, ...Object.fromEntries(forms) };
}
