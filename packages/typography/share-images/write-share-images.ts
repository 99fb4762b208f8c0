/** Writes the image that social networks and messengers show for a link: one for each page and language. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { canvasColors, colors } from '../../../app/brand/colors.ts';
import { fonts } from '../../../app/brand/fonts.ts';
import { logo } from '../../../app/brand/logo.ts';
import { type Locale, locales } from '../../../app/i18n/locales.ts';
import { pages } from '../../../app/pages.ts';
import { siteName } from '../../../app/site-name.ts';
import { cached } from '../fonts/subset-typeface.ts';
import { drawImage, type ImageTexts } from './drawing.ts';
import { fontsFor } from './image-fonts.ts';
import { requireGlyphs } from './outlined-text.ts';

/**
 * Writes `{page}-{locale}.png` to `target` and deletes other files there. `textsFolder` has the translations by locale. An
 * image with the same texts comes from the cache on disk. Throws an error that names the file and the key of a text that
 * cannot be drawn.
 */
export async function writeShareImages({
  textsFolder,
  target,
}: {
  textsFolder: string;
  target: string;
}): Promise<void> {
  mkdirSync(target, { recursive: true });
  const written = new Set<string>();
  for (const locale of locales) {
    for (const { name, namespace } of pages) {
      const place = join(textsFolder, locale.code, `${namespace}.json`);
      const { title, description }: ImageTexts = JSON.parse(readFileSync(place, 'utf8'));
      const file = `${name}-${locale.code}.png`;
      const brand = [siteName, colors, canvasColors, fonts, logo, locales.length];
      const key = ['share-image', brand, locale, title, description];
      writeFileSync(join(target, file), await cached(key, () => draw(locale, { title, description }, place)));
      written.add(file);
    }
  }
  for (const file of readdirSync(target)) if (!written.has(file)) rmSync(join(target, file));
}

async function draw(locale: Locale, texts: ImageTexts, place: string): Promise<Buffer> {
  const [title, text] = await Promise.all([
    fontsFor(texts.title + siteName, locale.iso, 'title'),
    fontsFor(texts.description + locale.ownName, locale.iso, 'text'),
  ]);
  requireGlyphs(texts.title, title, `${place}, key "title"`);
  requireGlyphs(texts.description, text, `${place}, key "description"`);
  return new Resvg(drawImage(locale, texts, { title, text })).render().asPng();
}
