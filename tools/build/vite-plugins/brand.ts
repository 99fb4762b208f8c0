/** A Vite plugin that writes what follows from the colors and the logo of the site: a style sheet and the icons. */
import type { Plugin } from 'vite';
import { writeIcons } from '../brand/icons.ts';
import { writePalette } from '../brand/palette-styles.ts';

/** Writes the files when Vite starts. */
export function brand(): Plugin {
  return {
    name: 'tenfold:brand',
    config: () => {
      writePalette('app/brand/built/palette.css');
      writeIcons('public');
    },
  };
}
