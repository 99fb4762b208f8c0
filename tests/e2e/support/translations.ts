import { readFileSync } from 'node:fs';

/** Returns a function that returns the text of a key such as `error.home` or `home:title`. `values` fill its placeholders. */
export function translationsOf(locale: string): (path: string, values?: Record<string, string>) => string {
  return (path, values = {}) => {
    const [namespace, key] = path.includes(':') ? path.split(':', 2) : ['common', path];
    const text = (key ?? '')
      .split('.')
      .reduce<unknown>(
        (node, part) => (node as Record<string, unknown> | undefined)?.[part],
        JSON.parse(readFileSync(`public/locales/${locale}/${namespace}.json`, 'utf8')),
      );
    if (typeof text !== 'string') throw new Error(`There is no text ${path} in ${locale}`);
    return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name) => values[name] ?? placeholder);
  };
}
