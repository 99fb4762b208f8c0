/** How languages write numbers. A test compares what results with `Intl`, for every language of the site. */

export type NumberSymbols = {
  /** Separates the thousands of numbers with at least `groupedFrom` digits. */
  group: string;
  groupedFrom: number;
  decimal: string;
  zero: string;
};

export const englishNumbers: NumberSymbols = { group: ',', groupedFrom: 4, decimal: '.', zero: '0' };
const germanNumbers: NumberSymbols = { ...englishNumbers, group: '.', decimal: ',' };

/** By the code of the locale. A language without a line writes numbers as English does. */
const symbols: Readonly<Record<string, NumberSymbols>> = {
  ar: { ...englishNumbers, group: '٬', decimal: '٫', zero: '٠' },
  de: germanNumbers,
  es: { ...germanNumbers, groupedFrom: 5 },
  fr: { ...germanNumbers, group: '\u202f' },
  pt: germanNumbers,
  ru: { ...germanNumbers, group: '\u00a0' },
};

/** The symbols of the locale with this code. */
export function numberSymbols(code: string): NumberSymbols {
  return symbols[code] ?? englishNumbers;
}
