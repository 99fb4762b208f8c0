/** A Vite plugin that writes the site's font files from its texts before they are bundled. */
import { sep } from 'node:path';
import type { Plugin } from 'vite';
import { writeFonts } from '../../typography/fonts/write-fonts.ts';

const LOCALES = 'public/locales';
const TARGET = 'app/fonts/built';

/**
 * Writes the fonts when Vite starts, and in development again when a text changes. A character that no font contains
 * fails the build; in development it is an error in the terminal, and the fonts stay as they are.
 */
export function siteFonts(): Plugin {
  return {
    name: 'tenfold:site-fonts',
    config: async () => {
      await writeFonts({ locales: LOCALES, target: TARGET });
      // The content security policy allows fonts from the site, but none inside of style sheets.
      return {
        build: { assetsInlineLimit: (file: string) => (file.endsWith('.woff2') ? false : undefined) },
      };
    },
    configureServer({ config, watcher }) {
      watcher.add(LOCALES);
      let writing = Promise.resolve();
      watcher.on('change', (file) => {
        if (!file.split(sep).join('/').includes(`${LOCALES}/`)) return;
        writing = writing
          .then(() => writeFonts({ locales: LOCALES, target: TARGET }))
          .catch((error) => config.logger.error(error instanceof Error ? error.message : String(error)));
      });
    },
  };
}
