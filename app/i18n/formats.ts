/** `Intl`'s formatters, each made once: to make one takes a hundred times as long as to use it. */

const numberFormats = new Map<string, Intl.NumberFormat>();

/** The formatter for numbers of a locale. `options` are written in the code: there is a handful of them. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const known = numberFormats.get(key);
  if (known) return known;
  const format = new Intl.NumberFormat(locale, options);
  numberFormats.set(key, format);
  return format;
}
