/** The drawing of a share image as SVG: the site's logo and name, a title, a description, and a folded strip. */

import { interpolate } from 'culori';
import { canvasColors } from '../../../app/brand/colors.ts';
import { logo } from '../../../app/brand/logo.ts';
import { type Locale, locales } from '../../../app/i18n/locales.ts';
import { siteName } from '../../../app/site-name.ts';
import { hexOf } from '../brand/palette.ts';
import type { ImageFont } from './image-fonts.ts';
import { outlineText, type TextStyle, widthOf } from './outlined-text.ts';
import { type Block, fitText } from './wrapped-text.ts';

/** The size that social networks and messengers show without cropping. */
const IMAGE_WIDTH = 1200;
const IMAGE_HEIGHT = 630;

export type ImageTexts = { title: string; description: string };
export type ImageFonts = { title: readonly ImageFont[]; text: readonly ImageFont[] };

const MARGIN = 80;
const TEXT_WIDTH = IMAGE_WIDTH - 2 * MARGIN;
const STRIP_TOP = 540;
const FOLD = 22;
const LINE_HEIGHT = { title: 1.18, description: 1.45 };
/** The space between the logo and the strip. */
const SPACE = { top: 160, height: STRIP_TOP - FOLD - 24 - 160 };
const GAP = 28;
const TITLE_SIZES = [84, 76, 68, 60, 52, 44];
const DESCRIPTION_SIZES = [32, 28, 24];
const MAX_DESCRIPTION_HEIGHT = 125;

/** The colors of the light theme: canvas, ink, muted ink, and the two ends of the strip. */
const colors = {
  canvas: canvasColors.light,
  ink: hexOf('gray', 900),
  muted: hexOf('gray', 600),
  primary: hexOf('primary', 700),
  secondary: hexOf('secondary', 700),
};

/** Returns the SVG of the image for a page in `locale`. Mirrored in right-to-left languages. */
export function drawImage(locale: Locale, { title, description }: ImageTexts, fonts: ImageFonts): string {
  const { dir, iso: language } = locale;
  const titleStyle = { fonts: fonts.title, dir, language };
  const textStyle = { fonts: fonts.text, dir, language };
  const textBlock = fitText(description, textStyle, {
    width: TEXT_WIDTH,
    height: MAX_DESCRIPTION_HEIGHT,
    lineHeight: LINE_HEIGHT.description,
    sizes: DESCRIPTION_SIZES,
  });
  const textHeight = heightOf(textBlock, 'description');
  const titleBlock = fitText(title, titleStyle, {
    width: TEXT_WIDTH,
    height: SPACE.height - GAP - textHeight,
    lineHeight: LINE_HEIGHT.title,
    sizes: TITLE_SIZES,
  });
  const titleHeight = heightOf(titleBlock, 'title');
  const top = SPACE.top + (SPACE.height - titleHeight - GAP - textHeight) / 2;
  const logo = { ...titleStyle, size: 40 };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${IMAGE_WIDTH}" height="${IMAGE_HEIGHT}" viewBox="0 0 ${IMAGE_WIDTH} ${IMAGE_HEIGHT}">`,
    `<rect width="100%" height="100%" fill="${colors.canvas}"/>`,
    mark(dir === 'rtl' ? IMAGE_WIDTH - MARGIN - 64 : MARGIN),
    line(siteName, logo, { inset: MARGIN + 80, baseline: 114, color: colors.ink }),
    line(
      locale.ownName,
      { ...textStyle, size: 30 },
      {
        inset: IMAGE_WIDTH - MARGIN - widthOf(locale.ownName, { ...textStyle, size: 30 }),
        baseline: 112,
        color: colors.muted,
      },
    ),
    block(titleBlock, titleStyle, { top, color: colors.ink, kind: 'title' }),
    block(textBlock, textStyle, { top: top + titleHeight + GAP, color: colors.muted, kind: 'description' }),
    strip(),
    '</svg>',
  ].join('');
}

type BlockKind = keyof typeof LINE_HEIGHT;

function heightOf({ lines, size }: Block, kind: BlockKind): number {
  return lines.length * size * LINE_HEIGHT[kind];
}

function block(
  { lines, size }: Block,
  style: Omit<TextStyle, 'size'>,
  { top, color, kind }: { top: number; color: string; kind: BlockKind },
): string {
  const baselineOf = (index: number) => top + size * (LINE_HEIGHT[kind] * index + 0.95);
  return lines
    .map((text, index) =>
      line(text, { ...style, size }, { inset: MARGIN, baseline: baselineOf(index), color }),
    )
    .join('');
}

/** `inset` is the distance from the edge where lines begin. */
function line(
  text: string,
  style: TextStyle,
  { inset, baseline, color }: { inset: number; baseline: number; color: string },
): string {
  const { svg, width } = outlineText(text, style);
  const x = style.dir === 'rtl' ? IMAGE_WIDTH - inset - width : inset;
  return `<g fill="${color}" transform="translate(${x} ${baseline})">${svg}</g>`;
}

function mark(x: number): string {
  const shapes = logo.map(({ color, d }) => `<path fill="${colors[color]}" d="${d}"/>`);
  return `<g transform="translate(${x} 68) scale(2)">${shapes.join('')}</g>`;
}

/** A folded strip with one panel for each language, from the primary to the secondary color. */
function strip(): string {
  const width = IMAGE_WIDTH / locales.length;
  const colorAt = interpolate([colors.primary, colors.secondary], 'rgb');
  return locales
    .map((_, index) => {
      const [left, right] = [index * width, (index + 1) * width + 0.5];
      const [start, end] = index % 2 === 0 ? [STRIP_TOP, STRIP_TOP - FOLD] : [STRIP_TOP - FOLD, STRIP_TOP];
      const { r, g, b } = colorAt(index / Math.max(1, locales.length - 1));
      const shade = index % 2 === 0 ? 1 : 0.84;
      const color = [r, g, b].map((channel) => Math.round(channel * 255 * shade));
      const points = `${left},${start} ${right},${end} ${right},${IMAGE_HEIGHT} ${left},${IMAGE_HEIGHT}`;
      return `<polygon fill="rgb(${color})" points="${points}"/>`;
    })
    .join('');
}
