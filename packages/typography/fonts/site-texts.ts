/** The texts of the site by language and namespace, with the place of each for error messages. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { locales } from '../../../app/i18n/locales.ts';
import { parseFile } from '../../texts/parse-file.ts';
import { intlTexts } from './intl-texts.ts';

/** A text, and where it stands: a file and its key. */
export type PlacedText = { text: string; place: string; key: string };

export type LocaleTexts = {
  code: string;
  iso: string;
  /** The texts of each file of translations. `common` also has the name of the language and the texts of `Intl`. */
  namespaces: ReadonlyMap<string, readonly PlacedText[]>;
  /**
   * The texts that pages in other languages show as well: those below `allLocales`, by namespace, and the language offer.
   */
  elsewhere: ReadonlyMap<string, readonly PlacedText[]>;
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
    const namespaces = new Map(files);
    const shownOnAllPages = [...(namespaces.get('common') ?? []), ...(namespaces.get('server') ?? [])];
    namespaces.set('common', [...shownOnAllPages, name, ...generated]);
    namespaces.delete('server');
    const elsewhere = new Map(files.map(([namespace, texts]) => [namespace, texts.filter(isForAllLocales)]));
    for (const [namespace, texts] of elsewhere) {
      if (namespace === 'common' || texts.length > 0) elsewhere.set(namespace, [...texts, name]);
      else elsewhere.delete(namespace);
    }
    const offer = (files.find(([namespace]) => namespace === 'server')?.[1] ?? []).filter(isLanguageOffer);
    if (offer.length > 0) elsewhere.set('language-offer', offer);
    return { code, iso, namespaces, elsewhere };
  });
}

function isForAllLocales({ key }: PlacedText): boolean {
  return key.startsWith('allLocales.');
}

/** Pages show it in the language of the visitor. */
function isLanguageOffer({ key }: PlacedText): boolean {
  return key.startsWith('languageOffer.');
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
