import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { writeShareImages } from '../../share-images/write-share-images.ts';

const folder = mkdtempSync(join(tmpdir(), 'share-images-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the images for shared links', () => {
  it.each(['title', 'description'])(
    'name the file and the key of a %s with a character that no font contains',
    async (key) => {
      cpSync('public/locales', folder, { recursive: true });
      const home = join(folder, 'en', 'home.json');
      const texts = JSON.parse(readFileSync(home, 'utf8'));
      writeFileSync(home, JSON.stringify({ ...texts, [key]: `${texts[key]} ꧁` }));
      const images = writeShareImages({ textsFolder: folder, target: join(folder, 'images') });
      await expect(images).rejects.toThrow(
        `${home}, key "${key}": No font of the image has the character “꧁” (U+A9C1).`,
      );
    },
  );
});
