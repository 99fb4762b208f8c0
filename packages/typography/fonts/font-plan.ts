/** Which characters each font file of the site contains, and for which text it is used. */
import type { LocaleTexts, PlacedText } from './site-texts.ts';
import type { Style, Weight } from './subset-typeface.ts';
import type { Typeface } from './typefaces.ts';

/** The files of one family in CSS: they share its name and have separate characters. */
export type PlannedFile = {
  /** The file name without extension. */
  name: string;
  /** The family in CSS. */
  family: string;
  /** The weights for which the browser uses the file. */
  cssWeight: string;
  weight: Weight;
  style: Style;
  /** The text of each character, for error messages. */
  characters: ReadonlyMap<string, PlacedText>;
};

type Characters = Map<string, PlacedText>;

/** Keys of texts that are headings or set in bold. A test finds text in bold whose characters have no bold file. */
const HEADING_KEY = new RegExp(
  [
    'title$|^text\\.heading|^scale\\.steps\\.\\w*heading$|^(call\\.nodes|leg)\\..+name$|whatHappens$',
    // Notices.
    '^list\\.(empty|failed|stale|confirm|deleteFailed)$|^compose\\.failed$',
    // On the typography page: table heads, the titles of lists, and the sample, whose weight visitors choose.
    '^tester\\.sample$|^text\\.code$|^lists\\.(un)?ordered$|^numerals\\.(kind|written)$',
  ].join('|'),
  'i',
);
const STRONG_TEXT = /<strong>(.*?)<\/strong>/g;
const ITALIC_TEXT = /<em>(.*?)<\/em>/g;

/** The characters of texts that `isLatin` does not cover, with the first text of each. */
function charactersOf(texts: Iterable<PlacedText>, isMissing: (character: string) => boolean): Characters {
  const found: Characters = new Map();
  for (const placed of texts) {
    for (const character of placed.text) {
      if (!found.has(character) && isMissing(character)) found.set(character, placed);
    }
  }
  return found;
}

/**
 * The files for pages in a language. A font with variable weight is one file, because the letters of its script are
 * shaped together. A typeface with fixed weights has one file of the characters that several pages need, and one for
 * each page; the file for headings has only the characters of headings.
 */
export function planLocale(
  { code, namespaces }: LocaleTexts,
  { weights, hasItalic }: Typeface,
  isMissing: (character: string) => boolean,
): PlannedFile[] {
  const all = [...namespaces.values()].flat();
  const family = `Text ${code}`;
  if ('from' in weights) {
    const file = { family, cssWeight: '1 1000' };
    const weight = { min: weights.from, max: weights.to };
    const characters = charactersOf(all, isMissing);
    const text: PlannedFile = { ...file, name: `${code}-text`, weight, style: 'normal', characters };
    const emphasized = hasItalic ? charactersOf(all.flatMap(italicText), isMissing) : new Map();
    if (emphasized.size === 0) return [text];
    return [text, { ...file, name: `${code}-italic`, weight: 400, style: 'italic', characters: emphasized }];
  }
  const headings = new Map([...namespaces].map(([name, texts]) => [name, texts.flatMap(headingText)]));
  const bold = partition(headings, isMissing);
  const files = [...partition(namespaces, isMissing)].flatMap(([part, characters]): PlannedFile[] => {
    const suffix = part === 'common' ? '' : `-${part}`;
    return [
      {
        name: `${code}-text${suffix}`,
        family,
        cssWeight: '1 599',
        weight: weights.text,
        style: 'normal',
        characters,
      },
      {
        name: `${code}-bold${suffix}`,
        family,
        cssWeight: '600 1000',
        weight: weights.headings,
        style: 'normal',
        characters: bold.get(part) ?? new Map(),
      },
    ];
  });
  return files;
}

/** The files of a language's words on pages in other languages: one for each namespace that has such words. */
export function planWords(
  { code, elsewhere }: LocaleTexts,
  { weights }: Typeface,
  isMissing: (character: string) => boolean,
): PlannedFile[] {
  const weight = 'from' in weights ? Math.max(weights.from, 400) : weights.text;
  return [...elsewhere].map(([namespace, texts]) => ({
    name: `${code}-words-${namespace}`,
    family: `Words ${code} ${namespace}`,
    cssWeight: '1 1000',
    weight,
    style: 'normal',
    characters: charactersOf(texts, isMissing),
  }));
}

/** `common` gets the characters of the common texts and those of several pages, and each page gets its other ones. */
function partition(
  namespaces: LocaleTexts['namespaces'],
  isMissing: (character: string) => boolean,
): Map<string, Characters> {
  const parts = new Map(
    [...namespaces].map(([name, texts]) => [name, charactersOf(texts, isMissing)] as const),
  );
  const common: Characters = parts.get('common') ?? new Map();
  for (const [name, characters] of parts) {
    for (const [character, placed] of characters) {
      const uses = [...parts.values()].filter((part) => part.has(character)).length;
      if (uses > 1 || name === 'common') common.set(character, placed);
    }
  }
  for (const [name, characters] of parts) {
    if (name === 'common') continue;
    for (const character of common.keys()) characters.delete(character);
  }
  return parts.set('common', common);
}

/** The part of a text that is in bold: all of a heading, or what its markup says. */
function headingText(placed: PlacedText): PlacedText[] {
  if (HEADING_KEY.test(placed.key)) return [placed];
  return markedText(placed, STRONG_TEXT);
}

/** The part of a text that is in italic. */
function italicText(placed: PlacedText): PlacedText[] {
  return markedText(placed, ITALIC_TEXT);
}

function markedText(placed: PlacedText, markup: RegExp): PlacedText[] {
  return [...placed.text.matchAll(markup)].map(([, text = '']) => ({ ...placed, text }));
}
