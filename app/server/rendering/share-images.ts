/** The addresses of the share images, which `npm run screenshots` takes. */
import type { Locale } from '../../i18n/locales.ts';

/** Addresses by file. Vite gives each file a name with the hash of its content. Empty without images. */
const addresses = import.meta.glob<string>('../../share-images/*.png', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The path of the image that represents the site in this locale, or null if there is none. */
export function shareImageOf({ code }: Pick<Locale, 'code'>): string | null {
  return addresses[`../../share-images/${code}.png`] ?? null;
}
