/**
 * The typefaces of the scripts that the Latin families of the site lack. To support another script, add its line here
 * and install its package; a language in one of these scripts needs no change.
 */

export type Typeface = {
  /** A package of Fontsource with a variable weight. Characters that it lacks come from the next package. */
  packages: readonly string[];
  /** The weights of the site: a range in one variable file, or two fixed ones for text and for headings. */
  weights: { from: number; to: number } | { text: number; headings: number };
  /**
   * Characters that the Latin families have as well, but which belong to this script: they are wide in Chinese and
   * Japanese.
   */
  own: string;
};

/** Symbols, and letters of Latin languages that the families of the site do not contain. */
const REMAINDER = '@fontsource-variable/noto-sans';

const WIDE_PUNCTUATION = '“”‘’—…·';

/** By the script codes of ISO 15924, as `Intl.Locale` writes them. */
const typefaces: Record<string, Typeface> = {
  Latn: { packages: [REMAINDER], weights: { from: 300, to: 700 }, own: '' },
  Cyrl: { packages: [REMAINDER], weights: { from: 300, to: 700 }, own: '' },
  Arab: {
    packages: ['@fontsource-variable/noto-sans-arabic', REMAINDER],
    weights: { from: 300, to: 700 },
    own: '',
  },
  // The light weights would make the file a third larger, and no page but the typography page uses them.
  Deva: {
    packages: ['@fontsource-variable/noto-sans-devanagari', REMAINDER],
    weights: { from: 400, to: 700 },
    own: '',
  },
  // A variable file has twice the size of a fixed weight, and few characters are in headings.
  Hans: {
    packages: ['@fontsource-variable/noto-sans-sc', REMAINDER],
    weights: { text: 400, headings: 600 },
    own: WIDE_PUNCTUATION,
  },
  Jpan: {
    packages: ['@fontsource-variable/noto-sans-jp', REMAINDER],
    weights: { text: 400, headings: 600 },
    own: WIDE_PUNCTUATION,
  },
};

/** The file with the less frequent Latin letters of a family, which pages use as the package has it. */
export function latinExtension(family: string): string {
  return `@fontsource-variable/${family}/files/${family}-latin-ext-wght-normal.woff2`;
}

/** The typeface for the script of a language tag such as `zh-CN`. Throws for a script without one. */
export function typefaceOf(iso: string): Typeface {
  const { script } = new Intl.Locale(iso).maximize();
  const typeface = script === undefined ? undefined : typefaces[script];
  if (typeface) return typeface;
  throw new Error(`No typeface for the script ${script} of ${iso}: add it to scripts/fonts/typefaces.ts.`);
}
