/** The texts of the site by language and namespace, with the place of each for error messages. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { locales } from '../../../app/i18n/locales.ts';
import { parseFile } from '../texts/parse-file.ts';
import { intlTexts } from './intl-texts.ts';

/** A text, and where it stands: a file and its key. */
export type PlacedText = { text: string; place: string; key: string };

export type LocaleTexts = {
  code: string;
  iso: string;
  /** All texts of pages in the language, with its name and the texts of `Intl`. */
  texts: readonly PlacedText[];
  /** What pages in other languages show everywhere: the name of the language, and the words of the home page. */
  names: readonly PlacedText[];
  /** The other texts below `allLocales`, and the language offer, which pages show in the language of the visitor. */
  sentences: readonly PlacedText[];
};

/** Marks that CSS adds: of emphasis, quotation marks, and the ellipsis of truncated text. */
const generatedMarks: Record<string, string> = { ja: '﹅「」『』…', zh: '•“”‘’…' };

/** Reads `{directory}/{locale}/{namespace}.json` for every locale. Throws an error that names a file that is not JSON. */
export function readSiteTexts(directory: string): LocaleTexts[] {
  return locales.map(({ code, iso, ownName }) => {
    const name = { text: ownName, place: 'app/i18n/locales.ts', key: `${code}.ownName` };
    const generated = [...intlTexts(iso), generatedMarks[code] ?? ''].map((text) => ({
      text,
      place: `Intl texts of ${iso}`,
      key: '',
    }));
    const files = readNamespaces(join(directory, code));
    const elsewhere = (isShown: (namespace: string) => boolean) =>
      files.flatMap(([namespace, texts]) => (isShown(namespace) ? texts.filter(isForAllLocales) : []));
    return {
      code,
      iso,
      texts: [...files.flatMap(([, texts]) => texts), name, ...generated],
      names: [name, ...elsewhere((namespace) => namespace === 'home')],
      sentences: [name, ...elsewhere((namespace) => namespace !== 'home')],
    };
  });
}

function isForAllLocales({ key }: PlacedText): boolean {
  return key.startsWith('allLocales.') || key.startsWith('languageOffer.');
}

function readNamespaces(directory: string): [string, PlacedText[]][] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const place = join(directory, file);
      return [file.slice(0, -'.json'.length), [...textsIn(parseFile(place), place)]];
    });
}

function* textsIn(value: unknown, place: string, key = ''): Generator<PlacedText> {
  if (typeof value === 'string') yield { text: value, place, key };
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield* textsIn(inner, place, key ? `${key}.${name}` : name);
  }
}
