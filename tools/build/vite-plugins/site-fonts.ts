/** A Vite plugin that writes the site's font files from its texts before they are bundled. */
import type { Plugin } from 'vite';
import { writeFonts } from '../fonts/write-fonts.ts';

const LOCALES = 'public/locales';
const TARGET = 'app/fonts/built';

/**
 * Writes the fonts when Vite starts, and in development again when a text changes. A character that no font contains
 * fails the build; in development it is an error in the terminal, and the fonts stay as they are.
 */
export function siteFonts(): Plugin {
  let writing = Promise.resolve();
  return {
    name: 'tenfold:site-fonts',
    config: async () => {
      await writeFonts({ locales: LOCALES, target: TARGET });
      // The content security policy allows fonts from the site, but none inside of style sheets.
      return {
        build: { assetsInlineLimit: (file: string) => (file.endsWith('.woff2') ? false : undefined) },
      };
    },
    hotUpdate({ file, server: { config } }) {
      if (this.environment.name !== 'ssr' || !file.includes(`/${LOCALES}/`)) return;
      writing = writing
        .then(() => writeFonts({ locales: LOCALES, target: TARGET }))
        .catch((error) => config.logger.error(error instanceof Error ? error.message : String(error)));
    },
  };
}
