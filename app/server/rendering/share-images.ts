/** The addresses of the share images, which the build draws (packages/typography/share-images). */
import type { Locale } from '../../i18n/locales.ts';
import type { Page } from '../../pages.ts';

/** Addresses by file. Vite gives each file a name with the hash of its content. Empty if nothing was built. */
const addresses = import.meta.glob<string>('../../share-images/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The path of the image that represents a page in this locale, or null if it was not drawn. */
export function shareImageOf({ name }: Pick<Page, 'name'>, { code }: Pick<Locale, 'code'>): string | null {
  return addresses[`../../share-images/${name}-${code}.png`] ?? null;
}
