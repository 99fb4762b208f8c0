/** A Vite plugin that draws the share images of the site from its texts before they are bundled. */
import type { Plugin } from 'vite';
import { writeShareImages } from '../../typography/share-images/write-share-images.ts';

/** Draws the images when Vite starts. `app/server/rendering/share-images.ts` imports them. */
export function shareImages(): Plugin {
  return {
    name: 'tenfold:share-images',
    config: () => writeShareImages({ textsFolder: 'public/locales', target: 'app/share-images' }),
  };
}
